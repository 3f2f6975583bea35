import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  codeOf,
  type Import,
  importsOf,
  ROOT,
  type SourceFile,
  sourcesIn,
  targetOf,
} from "./tree.ts";

const sources = sourcesIn("src");
const composers = new Set(["src/main.ts", "src/service.ts"]);

/** The first folders of a path: `src/adapters/http/app.ts` is `src/adapters/http` of three. */
const folderOf = (path: string, depth: number) =>
  path.split("/").slice(0, -1).slice(0, depth).join("/");

/** Every import of the files that match, which the rule refuses, as `file:line: import "…"`. */
function offences(
  concerned: (path: string) => boolean,
  isAllowed: (target: string | undefined, statement: Import, path: string) => boolean,
): string[] {
  return sources
    .filter(({ path }) => concerned(path))
    .flatMap((file: SourceFile) =>
      importsOf(file)
        .filter((statement) => !isAllowed(targetOf(file, statement), statement, file.path))
        .map(({ line, specifier }) => `${file.path}:${line}: import "${specifier}"`),
    );
}

const within = (folder: string) => (path: string) => path.startsWith(`${folder}/`);

test("the tree was found, and so were its imports", () => {
  assert.ok(sources.length > 30, `only ${sources.length} files`);
  const statements = sources.flatMap(importsOf);
  assert.ok(statements.length > 100, `only ${statements.length} imports`);
});

test("every relative import names a file that is there", () => {
  assert.deepEqual(
    offences(
      () => true,
      (target) => target === undefined || existsSync(join(ROOT, target)),
    ),
    [],
  );
});

test("domain imports domain and nothing else: no package, no module of Node.js", () => {
  const isAllowed = (target = "") => within("src/domain")(target);
  assert.deepEqual(offences(within("src/domain"), isAllowed), []);
});

test("application imports domain and application and nothing else", () => {
  const isAllowed = (target = "") =>
    within("src/domain")(target) || within("src/application")(target);
  assert.deepEqual(offences(within("src/application"), isAllowed), []);
});

test("adapters import inward, their own folder or what lies directly in adapters", () => {
  const isAllowed = (target: string | undefined, { isTypeOnly }: Import, path: string) => {
    if (target === undefined) return true;
    if (within("src/domain")(target) || within("src/application")(target)) return true;
    // The shape of a setting may be named; what it is comes as an argument.
    if (target === "src/config.ts") return isTypeOnly;
    const folder = folderOf(target, 3);
    return folder === "src/adapters" || folder === folderOf(path, 3);
  };
  assert.deepEqual(offences(within("src/adapters"), isAllowed), []);
});

test("only service.ts and main.ts know the adapters and join them", () => {
  const isAllowed = (target = "") => !within("src/adapters")(target) && !composers.has(target);
  const concerned = (path: string) => !composers.has(path) && !within("src/adapters")(path);
  assert.deepEqual(offences(concerned, isAllowed), []);
});

test("nothing imports main.ts, and service.ts is imported by main.ts alone", () => {
  const isAllowed = (target: string | undefined, _: Import, path: string) =>
    target !== "src/main.ts" && (target !== "src/service.ts" || path === "src/main.ts");
  assert.deepEqual(
    offences(() => true, isAllowed),
    [],
  );
});

test("nothing in src imports a test or a benchmark", () => {
  const isAllowed = (target = "src/") => target.startsWith("src/");
  assert.deepEqual(
    offences(() => true, isAllowed),
    [],
  );
});

test("imports are found whatever their form, and code is told from comments and texts", () => {
  const text = [
    'import "./a.ts";',
    'import { b } from "./b.ts";',
    'import type { C } from "./c.ts";',
    "import {",
    "  type D,",
    "  d,",
    '} from "./d.ts";',
    'export * from "./e.ts";',
    'const f = await import("./f.ts");',
    '// import { g } from "./g.ts";',
  ].join("\n");
  const found = importsOf({ path: "src/x.ts", text, code: "" });
  assert.deepEqual(
    found.map(({ line, specifier, isTypeOnly }) => `${line} ${specifier} ${isTypeOnly}`),
    [
      "1 ./a.ts false",
      "2 ./b.ts false",
      "3 ./c.ts true",
      "4 ./d.ts false",
      "8 ./e.ts false",
      "9 ./f.ts false",
    ],
  );
  const template = ["`a $", "{Number(1)} b`"].join("");
  const code = codeOf(`call(/["'\`]/g, "Number(", ${template}); // Number(
Number(2) / 3 / 4;`);
  assert.equal(code.match(/Number\(/g)?.length, 2);
  assert.equal(code.split("\n").length, 2);
});
