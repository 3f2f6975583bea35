import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "./tree.ts";

const text = readFileSync(join(ROOT, "docs/security.md"), "utf8");

test("every file that docs/security.md names exists", () => {
  const files = [...text.matchAll(/`((?:bench|test|docs|src)\/[\w./-]+)`/g)].map(
    ([, file = ""]) => file,
  );

  assert.ok(files.length > 50, `only ${files.length} files were found in it`);
  assert.deepEqual(
    files.filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
});
