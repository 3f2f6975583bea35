import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizePassword, passwordProblem } from "../../../src/customers/passwords/rules.ts";
import { fc } from "../../support/properties.ts";

const problem = (password: string) => passwordProblem(password, "ada@example.org", () => false);

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
