import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { importsOf, placesOf, ROOT, sourcesIn, trackedFiles } from "./tree.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

interface Manifest {
  readonly license: string;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
  readonly [group: string]: unknown;
}

type Versions = Readonly<Record<string, string>>;

interface LockedPackage {
  readonly hasInstallScript?: boolean;
  readonly license?: string;
  readonly dev?: boolean;
  /** A link to a folder of this project. */
  readonly link?: boolean;
}

interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const manifest = JSON.parse(read("package.json")) as Manifest;
const manifests = ["package.json", "client/package.json", "test/package.json"];
const lockFile = JSON.parse(read("package-lock.json")) as LockFile;

/** @returns the file and line of a text, such as `package.json:12`. */
function placeOf(path: string, text: string): string {
  const lines = read(path).split("\n");
  return `${path}:${lines.findIndex((line) => line.includes(text)) + 1}`;
}

test("every version in each package.json is exact", () => {
  const groups = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
  const inexact = manifests.flatMap((path) =>
    groups
      .flatMap((group) => Object.entries((JSON.parse(read(path))[group] ?? {}) as Versions))
      .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(version))
      .map(([name, version]) => `${placeOf(path, `"${name}":`)}: ${name} ${version}`),
  );
  assert.deepEqual(inexact, []);
});

test("package.json allows or denies every package with an install script by name", () => {
  const allowScripts = manifest.allowScripts ?? {};
  const unnamed = Object.entries(lockFile.packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => ({ path, name: path.slice(path.lastIndexOf("node_modules/") + 13) }))
    .filter(({ name }) => !Object.hasOwn(allowScripts, name))
    .map(({ path, name }) => `${placeOf("package-lock.json", `"${path}"`)}: ${name}`);
  assert.deepEqual(unnamed, []);
});

test("the lock file contains no download URLs, so that any registry can serve it", () => {
  const lines = read("package-lock.json").split("\n");
  const resolved = lines.flatMap((line, index) =>
    line.includes('"resolved"') && !/"resolved": "(?:client|test)"/.test(line)
      ? [`package-lock.json:${index + 1}: ${line.trim()}`]
      : [],
  );
  assert.deepEqual(resolved, []);
});

test("the licence is MIT, in its file and in package.json", () => {
  assert.equal(manifest.license, "MIT");
  const name = readdirSync(ROOT).find((file) => /^LICEN[CS]E(?:\.(?:md|txt))?$/.test(file));
  assert.ok(name !== undefined, "there is no LICENSE file");
  const text = read(name).replaceAll(/\s+/g, " ");
  assert.match(text, /^(?:# )?(?:The )?MIT License/);
  assert.match(text, /Copyright \(c\) \d{4}/);
  assert.match(text, /Permission is hereby granted, free of charge, to any person/);
  assert.match(text, /THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND/);
});

interface TreeEntry {
  readonly line: number;
  readonly path: string;
  readonly caption: string;
}

const TREE = "docs/architecture.md";

/** The entries of the tree: a fenced block in which indentation shows what is in a folder. */
function readTree(): TreeEntry[] {
  const lines = read(TREE).split("\n");
  const fences = lines.flatMap((line, index) => (/^\s*```/.test(line) ? [index] : []));
  const blocks = fences.flatMap((start, index) =>
    index % 2 === 0 ? [{ start, end: fences[index + 1] ?? lines.length }] : [],
  );
  const holdsTree = ({ start, end }: { start: number; end: number }) =>
    lines.slice(start + 1, end).some((line) => /^[\s│├└─]*src\/(?:\s|$)/.test(line));
  const block = blocks.find(holdsTree);
  assert.ok(block !== undefined, `${TREE}: no fenced block has a line that begins with src/`);

  const parents: { indent: number; path: string }[] = [];
  return lines.slice(block.start + 1, block.end).flatMap((text, index) => {
    const match = /^([\s│├└─]*)(\S+)\s*(.*)$/.exec(text);
    if (match === null) return [];
    const [, { length: indent } = "", name = "", caption = ""] = match;
    while ((parents.at(-1)?.indent ?? -1) >= indent) parents.pop();
    const path = (parents.at(-1)?.path ?? "") + name;
    if (name.endsWith("/")) parents.push({ indent, path });
    return [{ line: block.start + 2 + index, path, caption: caption.trim() }];
  });
}

/** Every folder that must have a caption: those at the top, and all of src. */
function foldersToName(): Set<string> {
  const folders = new Set<string>();
  for (const path of trackedFiles()) {
    const [first = "", ...rest] = path.split("/");
    if (rest.length > 0) folders.add(`${first}/`);
  }
  for (const { path } of sourcesIn("src")) {
    const parts = path.split("/").slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth += 1) {
      folders.add(`${parts.slice(0, depth).join("/")}/`);
    }
  }
  return folders;
}

test("server.json, the entry for the MCP registry, states this version", () => {
  const { version } = JSON.parse(read("server.json")) as { version: string };
  assert.equal(version, JSON.parse(read("package.json")).version);
});

test("the documented tree has every folder at the top and every folder of src, with a caption", () => {
  const captions = new Map(readTree().map(({ path, caption }) => [path, caption]));
  const missing = [...foldersToName()]
    // The captions of its folders describe src.
    .filter((folder) => folder !== "src/" && (captions.get(folder) ?? "") === "")
    .map((folder) => `${TREE}: the tree lacks ${folder} with a caption`);
  assert.deepEqual(missing, []);
});

test("the documented tree names nothing that is not there, and files as files", () => {
  const missing = readTree().filter(({ path }) => {
    const place = join(ROOT, path);
    return !existsSync(place) || statSync(place).isDirectory() !== path.endsWith("/");
  });
  assert.deepEqual(
    missing.map(({ line, path }) => `${TREE}:${line}: ${path} is not there`),
    [],
  );
});

test("every property test has a fixed seed, and no test uses another source of randomness", () => {
  const files = sourcesIn("test").filter(({ path }) => path.endsWith(".test.ts"));
  const withProperties = files.filter(({ code }) => /\bfc\.(?:assert|check|sample)\(/.test(code));
  assert.ok(withProperties.length > 10);
  const unseeded = withProperties
    .filter((file) =>
      importsOf(file).every(({ specifier }) => !specifier.endsWith("/support/properties.ts")),
    )
    .map(({ path }) => path);
  assert.deepEqual(unseeded, []);
  assert.deepEqual(placesOf(files, /\bMath\.random\(|\brandomInt\(/g), []);
});

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
]);

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

const BUILD = "node scripts/run.js scripts/build-program.js bundle";

for (const [what, args, env, says] of [
  ["of a misspelt folder", ["test/rate"], {}, "There is no test file in test/rate: "],
  ["of folders elsewhere", ["/", "test/rates", ".."], {}, "There is no test file in /, ..: "],
  ["without a bundle", [], { KURS_TEST_MAIN: "/no/a.js" }, `There is no /no/a.js: run ${BUILD}`],
] as const) {
  test(`a run of tests ${what} says in one sentence what to do, and starts nothing`, () => {
    const run = [join(ROOT, "test/run.ts"), ...args];
    const ended = spawnSync(process.execPath, run, {
      ...{ cwd: ROOT, encoding: "utf8" },
      env: { ...process.env, ...env },
    });
    assert.deepEqual([ended.status, ended.stdout], [1, ""]);
    assert.ok(ended.stderr.startsWith(says), ended.stderr);
    assert.match(ended.stderr, /^.+\.\n$/);
  });
}
