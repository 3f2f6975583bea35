import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "./tree.ts";

/** Licences that ask for no more than to keep their text: anything may be made and sold with them. */
const permissive = new Set([
  ...["MIT", "MIT-0", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Apache-2.0"],
  // As permissive as MIT, in words that need no lawyer; of npm's own authors.
  "BlueOak-1.0.0",
  // Either is on this list, so both at once are.
  ...["MIT OR Apache-2.0", "(MIT AND Zlib)"],
]);

/** Fine for a tool that is used while building or testing, and no part of what is shipped. */
const forToolsOnly = new Map([
  // Who changes a file of it must share that file: nobody changes one, and none is handed on.
  ["MPL-2.0", ["axe-core", "lightningcss"]],
]);

interface LockedPackage {
  readonly license?: string;
  readonly dev?: boolean;
}

const lockFile = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

const dependencies = Object.entries(lockFile.packages)
  .filter(([path]) => path !== "")
  .map(([path, locked]) => ({ path, name: path.replace(/^.*node_modules\//, ""), ...locked }));

function isAllowed(name: string, license: string | undefined, dev = false): boolean {
  if (license === undefined) return false;
  const tools = forToolsOnly.get(license) ?? [];
  return permissive.has(license) || (dev && tools.some((tool) => name.startsWith(tool)));
}

test("the licence of every package in the lock file is on the list of those allowed", () => {
  const others = dependencies
    .filter(({ name, license, dev }) => !isAllowed(name, license, dev))
    .map(({ name, license }) => `${name}: ${license ?? "no licence"}`);

  assert.ok(dependencies.length > 200);
  assert.deepEqual(others, []);
});

test("what is installed says the same of its licence as the lock file", () => {
  const different = dependencies.flatMap(({ path, name, license }) => {
    const file = join(ROOT, path, "package.json");
    // Of packages for other platforms only the lock file tells.
    if (!existsSync(file)) return [];
    const installed = JSON.parse(readFileSync(file, "utf8")) as { readonly license?: unknown };
    const isSame = installed.license === license;
    return isSame ? [] : [`${name}: ${JSON.stringify(installed.license)}, locked ${license}`];
  });

  assert.deepEqual(different, []);
});

test("a licence that asks for more is refused, and for tools alone in what is shipped", () => {
  assert.equal(isAllowed("some", "GPL-3.0"), false);
  assert.equal(isAllowed("some", undefined), false);
  assert.equal(isAllowed("lightningcss", "MPL-2.0", true), true);
  assert.equal(isAllowed("lightningcss", "MPL-2.0", false), false);
  assert.equal(isAllowed("some", "MPL-2.0", true), false);
});
