import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "./tree.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** A test as the document quotes it: its file and its exact title. */
interface NamedTest {
  readonly file: string;
  readonly title: string;
}

function testsNamedIn(text: string): readonly NamedTest[] {
  return [...text.matchAll(/`(test\/[\w./-]+\.test\.ts)`: “([^”]+)”/g)].map(
    ([, file = "", title = ""]) => ({ file, title }),
  );
}

function exists({ file, title }: NamedTest): boolean {
  if (!existsSync(join(ROOT, file))) return false;
  const escaped = RegExp.escape(title);
  return new RegExp(`\\btest\\(\\s*(?:"${escaped}"|\`${escaped}\`)`).test(read(file));
}

const text = read("docs/security.md");
const named = testsNamedIn(text);

test("every test that docs/security.md quotes exists, with its file and exact title", () => {
  const lost = named.filter((one) => !exists(one)).map(({ file, title }) => `${file}: “${title}”`);

  assert.ok(named.length > 80, `only ${named.length} tests were found in it`);
  assert.deepEqual(lost, []);
});

test("every quotation in docs/security.md has the form of a test's file and title", () => {
  assert.equal(named.length, text.match(/“/g)?.length, "a quotation without a test file");
});

test("every file that docs/security.md names exists", () => {
  const files = [...text.matchAll(/`((?:bench|test|docs|src)\/[\w./-]+)`/g)].map(
    ([, file = ""]) => file,
  );

  assert.deepEqual(
    files.filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
});

test("a renamed test is found", () => {
  const file = "test/architecture/security-document.test.ts";

  assert.equal(exists({ file, title: "a renamed test is found" }), true);
  assert.equal(exists({ file, title: "a renamed test is not found" }), false);
  assert.equal(exists({ file: "test/gone.test.ts", title: "a renamed test is found" }), false);
});
