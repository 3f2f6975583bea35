import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import {
  codeOf,
  type Import,
  importsOf,
  placesOf,
  type SourceFile,
  sourcesIn,
  targetOf,
} from "./tree.ts";

// Two tables: which folder may import which, and which kind of file may import which. A file's name
// states its kind (docs/decisions/0014-folders-by-feature.md).

const sources = sourcesIn("src");

/** What a folder at the top may import besides itself. */
const mayImportAtTop: Readonly<Record<string, readonly string[]>> = {
  src: [],
  client: [],
  examples: [],
  harness: [],
  bench: ["src", "harness"],
  guide: ["src", "console", "scripts"],
  test: ["src", "client", "console", "guide", "harness"],
  trials: ["src", "client", "guide", "harness", "test", "examples"],
};

const frames = ["shared", "async", "log", "cli", "crypto", "http", "storage"];

/** What a folder of src may import besides itself: folders that stand above it in this table. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  async: ["shared"],
  log: ["shared"],
  cli: ["shared"],
  crypto: ["shared", "async"],
  http: ["shared", "async", "log"],
  storage: ["shared", "async", "cli"],
  audit: frames,
  mail: frames,
  billing: [...frames, "audit", "mail"],
  passwords: frames,
  "auth-limit": frames,
  "mailed-links": [...frames, "audit", "mail", "passwords", "auth-limit"],
  accounts: [...frames, "audit", "mail", "billing", "auth-limit", "mailed-links"],
  sessions: [...frames, "audit", "passwords", "auth-limit", "accounts"],
  registration: [
    ...frames,
    ...["audit", "mail", "billing", "passwords", "auth-limit"],
    ...["mailed-links", "accounts", "sessions"],
  ],
  administration: [
    ...frames,
    ...["audit", "billing", "passwords", "auth-limit"],
    ...["mailed-links", "accounts", "registration"],
  ],
  "api-keys": [...frames, "audit"],
  rates: [...frames, "audit"],
  sources: [...frames, "rates"],
  series: [...frames, "audit", "rates", "sources"],
  coverage: [...frames, "rates", "sources", "series"],
  import: [...frames, "audit", "rates", "sources"],
  backfill: [...frames, "audit", "rates", "sources"],
  provenance: [...frames, "audit", "rates", "sources", "series", "import"],
  "applicable-rates": [...frames, "rates", "sources", "series", "provenance"],
  export: [...frames, "rates", "sources", "series", "provenance"],
  evidence: [...frames, ...["rates", "sources", "import", "provenance", "applicable-rates"]],
  cleanup: [...frames, "audit"],
  pages: frames,
  metering: [...frames, "billing", "api-keys", "rates"],
  mcp: [...frames, "billing", "api-keys", "rates", "coverage", "metering"],
  doctor: [...frames, "mail", "billing", "rates", "sources", "cleanup"],
  backups: [...frames, "audit", "doctor"],
  metrics: ["shared", "http", "mail", "sources", "metering", "mcp", "backups"],
};

/** The files directly in src. Each may import folders and the files listed before it. */
const composition = [
  "settings",
  "environment",
  "config",
  "settings-command",
  "store",
  "app",
  "commands",
  "background",
  "limits",
  "service",
  "welcome",
  "program",
  "main",
];

/**
 * The features that are edges themselves: they serve files, another protocol or the operator, and
 * have no use cases. Their files without a kind in the name are edges.
 */
const edgeFeatures = ["backups", "doctor", "evidence", "mcp", "metrics", "pages"];

type Kind = "rules" | "core" | "json" | "http" | "sql" | "cli" | "other edge";

const edges: ReadonlySet<string> = new Set(["json", "http", "sql", "cli"]);

/** @returns undefined for a file of a frame, or of the composition. */
function kindOf(path: string): Kind | undefined {
  const [, folder = "", ...rest] = path.replace(/\.[jt]s$/, "").split("/");
  if (rest.length === 0 || frames.includes(folder)) return undefined;
  const [first = ""] = rest;
  // sessions-sql.ts is of kind "sql"; fast-path.ts counts as "http".
  const last = /fast-path$/.test(first) ? "http" : (first.split("-").at(-1) ?? "");
  if (last === "rules") return "rules";
  if (edges.has(last)) return last as Kind;
  return rest.length > 1 || edgeFeatures.includes(folder) ? "other edge" : "core";
}

const folderOf = (path: string) => (path.split("/").length > 2 ? path.split("/")[1] : undefined);

/** Whether a file of a feature may import another file of src, by their kinds. */
function mayImportKind(kind: Kind, path: string, target: string, isTypeOnly: boolean): boolean {
  const folder = folderOf(target) ?? "";
  const other = kindOf(target);
  const isInside = folder === folderOf(path);
  switch (kind) {
    case "rules":
      return folder === "shared" || other === "rules" || (isTypeOnly && other === "core");
    case "core":
      return folder === "shared" || folder === "async" || other === "rules" || other === "core";
    case "json":
      return folder === "shared" || ["rules", "core", "json"].includes(other ?? "");
    case "http":
      if (other === "http") return isInside;
      if (other === "sql" || other === "cli") return false;
      return !["cli", "storage"].includes(folder);
    case "sql":
      if (folder === "storage") return /\/(?:access|columns|engine)\.ts$/.test(target);
      return ["rules", "core", "sql"].includes(other ?? "") || folder === "shared";
    case "cli":
      if (other === "other edge") return isInside;
      if (folder === "storage") return edgeFeatures.includes(folderOf(path) ?? "");
      return (
        ["rules", "core", "json", "cli"].includes(other ?? "") ||
        ["shared", "cli", "async"].includes(folder)
      );
    case "other edge":
      if (other === "other edge") return true;
      if (folder === "cli" || other === "cli") return false;
      if (edgeFeatures.includes(folderOf(path) ?? "")) return other !== "http" || isInside;
      return folder !== "http" && !["json", "http", "sql"].includes(other ?? "");
  }
}

/** Every import that breaks a rule. */
function violationsIn(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter((statement) => !isAllowed(file, statement))
      .map(({ line, specifier }) => `${file.path}:${line}: import "${specifier}"`),
  );
}

function isAllowed(file: SourceFile, statement: Import): boolean {
  const { path } = file;
  const target = targetOf(file, statement);
  const [top = "", targetTop = ""] = [path, target ?? path].map((one) => one.split("/")[0]);
  if (top !== targetTop) return (mayImportAtTop[top] ?? []).includes(targetTop);
  if (top !== "src") return true;
  const kind = kindOf(path);
  if (target === undefined) return !(kind === "rules" || kind === "core");
  const from = folderOf(path);
  const to = folderOf(target);
  if (from === undefined) {
    return to !== undefined || rankOf(target) < rankOf(path);
  }
  if (to === undefined) return false;
  if (from !== to && !(mayImport[from] ?? []).includes(to)) return false;
  return kind === undefined || mayImportKind(kind, path, target, statement.isTypeOnly);
}

const rankOf = (path: string) => composition.indexOf(path.replace(/^src\/|\.ts$/g, ""));

test("the scan finds the files of src and their imports", () => {
  assert.ok(sources.length > 30, `only ${sources.length} files`);
  const statements = sources.flatMap(importsOf);
  assert.ok(statements.length > 100, `only ${statements.length} imports`);
});

test("the folder table lists every folder of src, and the composition order every file directly in src", () => {
  const folders = new Set(sources.map(({ path }) => folderOf(path)).filter((name) => name));
  assert.deepEqual([...folders].sort(), Object.keys(mayImport).sort());
  const topLevel = sources.filter(({ path }) => folderOf(path) === undefined);
  assert.deepEqual(
    topLevel.map(({ path }) => rankOf(path)).filter((rank) => rank === -1),
    [],
  );
});

test("folders and kinds of files import only what their tables allow", () => {
  assert.deepEqual(violationsIn(Object.keys(mayImportAtTop).flatMap(sourcesIn)), []);
});

test("the check finds a planted import that violates a table", () => {
  const planted = (path: string, text: string) => violationsIn([{ path, text, code: text }]).length;
  assert.equal(planted("src/billing/usage.ts", 'import { a } from "../accounts/store.ts";'), 1);
  assert.equal(planted("src/store.ts", 'import { a } from "../harness/postgres.ts";'), 1);
  assert.equal(planted("src/store.ts", 'import { a } from "../client/src/money.ts";'), 1);
  assert.equal(planted("client/src/send.ts", 'import { a } from "../../src/store.ts";'), 1);
  assert.equal(planted("bench/gate.ts", 'import { a } from "../test/support/mails.ts";'), 1);
  assert.equal(planted("test/mail/a.test.ts", 'import { a } from "../../bench/run.ts";'), 1);
  assert.equal(planted("src/shared/clock.ts", 'import { a } from "../mail/store.ts";'), 1);
  assert.equal(planted("src/http/server/server.ts", 'import { a } from "../../app.ts";'), 1);
  assert.equal(planted("src/store.ts", 'import { a } from "./service.ts";'), 1);
  assert.equal(planted("src/rates/rules/rate.ts", 'import { a } from "node:fs";'), 1);
  assert.equal(planted("src/sessions/sessions.ts", 'import { a } from "./sql.ts";'), 1);
  assert.equal(planted("src/api-keys/http.ts", 'import { a } from "./sql.ts";'), 1);
  assert.equal(planted("src/api-keys/sql.ts", 'import { a } from "../http/server.ts";'), 1);
  assert.equal(planted("src/backups/cli.ts", 'import { a } from "../audit/sql.ts";'), 1);
  assert.equal(planted("src/rates/store.ts", 'import { a } from "../provenance/trace.ts";'), 1);
  assert.equal(planted("src/accounts/store.ts", 'import { a } from "../sessions/store.ts";'), 1);
  assert.equal(planted("src/api-keys/http.ts", 'import { a } from "./api-keys.ts";'), 0);
});

test("the folder table lists each folder after those that it may import", () => {
  const order = Object.keys(mayImport);
  const late = Object.entries(mayImport).flatMap(([folder, targets]) =>
    targets
      .filter((target) => order.indexOf(target) >= order.indexOf(folder))
      .map((target) => `${folder} -> ${target}`),
  );
  assert.deepEqual(late, []);
});

test("every arrow between features in the folder table is in use", () => {
  const used = new Set(
    sources.flatMap((file) =>
      importsOf(file).map((statement) => {
        return `${folderOf(file.path)} -> ${folderOf(targetOf(file, statement) ?? "")}`;
      }),
    ),
  );
  const arrows = Object.entries(mayImport).flatMap(([folder, targets]) =>
    targets.filter((target) => !frames.includes(target)).map((target) => `${folder} -> ${target}`),
  );
  assert.deepEqual(
    arrows.filter((arrow) => !used.has(arrow)),
    [],
  );
});

/** A person finds a file among this many at a glance. */
const FILES_MAX = 16;

test("no folder of src has more than 16 files of its own", () => {
  const counts = Map.groupBy(sources, ({ path }) => dirname(path));
  const full = [...counts].filter(([, files]) => files.length > FILES_MAX);
  assert.deepEqual(
    full.map(([folder, files]) => `${folder}: ${files.length} files`),
    [],
  );
});

/** The cycles of imports among files. Each begins where the search met it. */
function cyclesIn(files: readonly SourceFile[]): string[] {
  const targets = new Map(
    files.map((file) => [
      file.path,
      importsOf(file).flatMap((statement) => targetOf(file, statement) ?? []),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, chain: readonly string[]) => {
    if (chain.includes(path)) cycles.push([...chain.slice(chain.indexOf(path)), path].join(" -> "));
    if (chain.includes(path) || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...chain, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return cycles;
}

test("no import cycles exist in any folder of the repository", () => {
  const folders = ["src", "client/src", "console/src", "bench", "harness", "scripts", "test"];
  const files = folders.flatMap(sourcesIn);
  assert.ok(files.length > 700, `only ${files.length} files`);
  assert.deepEqual(cyclesIn(files), []);
});

test("the check finds a planted cycle", () => {
  const file = (path: string, target: string) => {
    const text = `import type { a } from "${target}";`;
    return { path, text, code: text };
  };
  const planted = [file("bench/a.ts", "./b.ts"), file("bench/b.ts", "./a.ts")];
  assert.deepEqual(cyclesIn(planted), ["bench/a.ts -> bench/b.ts -> bench/a.ts"]);
});

test("rules and use cases access the outside world only through ports", () => {
  const pure = sources.filter(({ path }) => ["rules", "core"].includes(kindOf(path) ?? ""));
  assert.ok(pure.length > 30, `only ${pure.length} files`);
  const globals = "process|crypto|console|performance|queueMicrotask";
  const timers = "setTimeout|setInterval|setImmediate";
  // A port may declare a method named fetch; its parameters have types.
  const calls = `(?:${globals}|${timers})\\s*[.(]|fetch\\((?!\\w+:)`;
  const outside = new RegExp(`(?<![.\\w])(?:${calls})|\\bMath\\.random\\b`, "g");
  assert.deepEqual(placesOf(pure, outside), []);
});

test("the scan finds imports of every form and distinguishes code from comments and strings", () => {
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
