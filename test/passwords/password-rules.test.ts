import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizePassword, passwordProblem } from "../../src/passwords/rules.ts";
import { fc } from "../support/properties.ts";

const EMAIL = "ada@example.org";
const LENGTH = "password must have 8 to 256 characters.";

const none = () => false;
const problem = (password: string, isCommon: (text: string) => boolean = none) =>
  passwordProblem(password, EMAIL, isCommon);

test("a password has 8 to 256 characters", () => {
  assert.equal(problem("x".repeat(7)), LENGTH);
  assert.equal(problem("x".repeat(8)), undefined);
  assert.equal(problem("x".repeat(256)), undefined);
  assert.equal(problem("x".repeat(257)), LENGTH);
  assert.equal(problem(""), LENGTH);
});

test("the length of a password is counted in characters, not in UTF-16 code units", () => {
  assert.equal(problem("😀".repeat(7)), LENGTH);
  assert.equal(problem("😀".repeat(8)), undefined);
  assert.equal(problem("😀".repeat(256)), undefined);
});

test("a password may contain any character, including white space and control characters", () => {
  const password = fc.string({ unit: "binary", minLength: 8, maxLength: 256 });
  fc.assert(
    fc.property(password, (text) => {
      fc.pre([...text].length >= 8 && [...text].length <= 256);
      assert.equal(problem(text), undefined);
    }),
  );
});

test("half of a surrogate pair is no character: each would be hashed like every other one", () => {
  const reason = "password must not have half of a surrogate pair.";
  assert.equal(problem("correct \ud83d horse"), reason);
  assert.equal(problem("correct \ude00 horse"), reason);
});

test("the account's email is not allowed as a password, in any case", () => {
  const reason = "password must not be the email address.";
  assert.equal(problem(EMAIL), reason);
  assert.equal(problem("Ada@Example.ORG"), reason);
  assert.equal(problem(`${EMAIL}!`), undefined);
});

test("a common password is rejected, and the lookup in the list gets exactly the given text", () => {
  const lookups: string[] = [];
  const isCommon = (text: string) => lookups.push(text) > 0;
  assert.equal(problem("Password1", isCommon), "That password is too common. Choose another.");
  assert.deepEqual(lookups, ["Password1"]);
});

test("a password of an invalid length is not looked up in the list", () => {
  assert.equal(
    problem("short", () => assert.fail("looked up")),
    LENGTH,
  );
});

test("equivalent Unicode spellings are the same password", () => {
  assert.equal(normalizePassword("Cafe\u0301 au lait"), "Café au lait");
  assert.equal(normalizePassword("ﬁnance２０２６"), "finance2026");
  assert.equal(normalizePassword("\u212Bngstr\u00F6m"), "\u00C5ngstr\u00F6m");
});

test("normalizing a password twice changes nothing more, and case and white space are kept", () => {
  assert.equal(normalizePassword(" Correct  Horse "), " Correct  Horse ");
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const normal = normalizePassword(text);
      assert.equal(normalizePassword(normal), normal);
      assert.equal(normal, text.normalize("NFKC"));
    }),
  );
});
