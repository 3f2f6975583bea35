import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "./tree.ts";

/** Permissive licences: they only require that their text is kept. */
const permissive = new Set([
  ...["MIT", "MIT-0", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Apache-2.0"],
  // A permissive licence that npm's own packages use.
  "BlueOak-1.0.0",
  // Combinations of licences on this list.
  ...["MIT OR Apache-2.0", "(MIT AND Zlib)"],
]);

/** Licences allowed for build and test tools, which are not shipped. */
const forToolsOnly = new Map([
  // Changed files must be published; Kurs changes none and ships none.
  ["MPL-2.0", ["axe-core", "lightningcss"]],
  // Permissive licences, of packages that openapi-typescript needs.
  ["Python-2.0", ["argparse"]],
  ["(MIT OR CC0-1.0)", ["type-fest"]],
  // Changed files must be published; it lays out the guide's diagrams, and is not shipped.
  ["EPL-2.0", ["elkjs"]],
  // No rights reserved; icons that VitePress needs and the guide does not show.
  ["CC0-1.0", ["@iconify-json/simple-icons"]],
]);

interface LockedPackage {
  readonly license?: string;
  readonly dev?: boolean;
  /** A link to a folder of this project. */
  readonly link?: boolean;
}

const lockFile = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

const dependencies = Object.entries(lockFile.packages)
  .filter(([path, { link }]) => path.includes("node_modules/") && link !== true)
  .map(([path, locked]) => ({ path, name: path.replace(/^.*node_modules\//, ""), ...locked }));

function isAllowed(name: string, license: string | undefined, dev = false): boolean {
  if (license === undefined) return false;
  const tools = forToolsOnly.get(license) ?? [];
  return permissive.has(license) || (dev && tools.some((tool) => name.startsWith(tool)));
}

test("every package in the lock file has an allowed licence", () => {
  const others = dependencies
    .filter(({ name, license, dev }) => !isAllowed(name, license, dev))
    .map(({ name, license }) => `${name}: ${license ?? "no licence"}`);

  assert.ok(dependencies.length > 200);
  assert.deepEqual(others, []);
});

test("every installed package has the licence that the lock file states", () => {
  const different = dependencies.flatMap(({ path, name, license }) => {
    const file = join(ROOT, path, "package.json");
    // Packages for other platforms are not installed.
    if (!existsSync(file)) return [];
    const installed = JSON.parse(readFileSync(file, "utf8")) as { readonly license?: unknown };
    const isSame = installed.license === license;
    return isSame ? [] : [`${name}: ${JSON.stringify(installed.license)}, locked ${license}`];
  });

  assert.deepEqual(different, []);
});

test("the check rejects other licences, and licences for tools on shipped packages", () => {
  assert.equal(isAllowed("some", "GPL-3.0"), false);
  assert.equal(isAllowed("some", undefined), false);
  assert.equal(isAllowed("lightningcss", "MPL-2.0", true), true);
  assert.equal(isAllowed("lightningcss", "MPL-2.0", false), false);
  assert.equal(isAllowed("some", "MPL-2.0", true), false);
});
