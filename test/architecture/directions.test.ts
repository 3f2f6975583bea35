import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import {
  codeOf,
  type Import,
  importsOf,
  isFace,
  placesOf,
  roomOf,
  type SourceFile,
  sourcesIn,
  targetOf,
  wingOf,
} from "./tree.ts";

// Two tables: which wing may import which, and which kind of file may import which. A file's name
// states its kind (docs/decisions/0014-seven-wings-of-features.md).

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
  trials: ["src", "client", "guide", "harness", "scripts", "test", "examples"],
};

/** What a wing of src may import besides itself: wings that stand above it in this table. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  customers: ["platform"],
  rates: ["platform"],
  reads: ["platform", "customers", "rates"],
  bookkeeping: ["platform", "rates"],
  operations: ["platform", "customers", "rates", "reads"],
  app: ["platform", "customers", "rates", "reads", "bookkeeping", "operations"],
};

/** The folders of the platform that are no features. */
const frames = ["shared", "async", "log", "cli", "http", "storage"];

/**
 * What other wings may import besides a wing's faces, the files beside its folders; `app` imports
 * nothing else. A folder, which ends with a slash, is offered as a whole.
 */
const offered: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  platform: {
    ...Object.fromEntries(frames.map((frame) => [`${frame}/`, "every feature stands on it"])),
    "audit/rules.ts": "the actions, for statements that write events",
    "audit/sql.ts": "writes an event in a feature's transaction",
    "audit/store.ts": "the events that a trace and an export show",
  },
  customers: {
    "api-keys/api-keys.ts": "finds the account of a key that charges nothing, for MCP",
    "api-keys/rules.ts": "the form of a key, for a read's parsers",
    "billing/rules.ts": "periods and quotas, for the charge of a read",
    "billing/usage.ts": "reads the units of an account, for MCP",
    "billing/json.ts": "the same JSON over MCP as over REST",
  },
  rates: {
    "served/rules/symbol.ts": "symbols and pairs",
    "served/rules/ended-currencies.ts": "the ends of currencies, with their laws",
    "served/rules/rate.ts": "a rate as it is served, its decimals and dates",
    "served/rules/disagreement.ts": "how a held figure differs, for the rate that a law names",
    "served/rules/past.ts": "a past time, and the figure that a read of it finds",
    "served/rules/update-policy.ts": "a rate with its source, and who owns a pair",
    "served/headers.ts": "the headers of a rate, for responses to reads",
    "served/json.ts": "the same JSON over MCP as over REST",
    "served/figures.ts": "the kinds of figures and their revisions",
    "served/history.ts": "what a publication and its documents are",
    "served/signing-key.ts": "the key that a signature names, for evidence",
    "served/store.ts": "the held rates that an export mentions",
    "served/update-sql.ts": "reads a rate from the columns in which it was stored",
    "served/update-statements-sql.ts": "which publications are imports",
    "served/cli/arguments.ts": "symbols and pairs as arguments of kurs rates",
    "series/cli/arguments.ts": "a source's series as an argument of kurs rates",
    "series/json.ts": "a figure as JSON of kurs rates",
    "series/rules.ts": "the newest date of a series",
    "series/store.ts": "the figures of a series",
    "sources/source.ts": "a publisher with its calendar",
    "coverage/coverage.ts": "the lists of pairs and sources, for MCP",
    "coverage/json.ts": "the same JSON over MCP as over REST",
  },
};

/**
 * The features that are edges themselves: they serve files, another protocol or the operator, and
 * have no use cases. Their files without a kind in the name are edges.
 */
const edgeFeatures = ["backups", "doctor", "evidence", "mcp", "metrics", "pages"];

type Kind = "rules" | "core" | "json" | "http" | "sql" | "cli" | "other edge";

const edges: ReadonlySet<string> = new Set(["json", "http", "sql", "cli"]);

/** @returns undefined for a file of a frame, or for a face. */
function kindOf(path: string): Kind | undefined {
  const [, , folder = "", ...rest] = path.replace(/\.[jt]s$/, "").split("/");
  if (rest.length === 0 || frames.includes(folder)) return undefined;
  const [first = ""] = rest;
  // sessions-sql.ts is of kind "sql"; fast-path.ts counts as "http".
  const last = /fast-path$/.test(first) ? "http" : (first.split("-").at(-1) ?? "");
  if (last === "rules") return "rules";
  if (edges.has(last)) return last as Kind;
  return rest.length > 1 || edgeFeatures.includes(folder) ? "other edge" : "core";
}

/** The last part of a room's name; that of a wing's faces is the wing. */
const folderOf = (path: string) => roomOf(path).split("/").at(-1);

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
      if (folder === "storage") return /\/(?:columns|engine)\.ts$/.test(target);
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
  const [from, to] = [wingOf(path), wingOf(target)];
  if (from !== to && !((mayImport[from] ?? []).includes(to) && isOffered(target, from)))
    return false;
  return kind === undefined || mayImportKind(kind, path, target, statement.isTypeOnly);
}

/** Whether a file is a face, or offered to a wing of another name. */
const isOffered = (target: string, from: string): boolean =>
  isFace(target) || entryOf(target, from) !== undefined;

/** The entry of the table that offers a file. */
function entryOf(target: string, from: string): string | undefined {
  const wing = wingOf(target);
  if (from === "app" && wing !== "platform") return undefined;
  const path = target.slice(`src/${wing}/`.length);
  return Object.keys(offered[wing] ?? {}).find((entry) =>
    entry.endsWith("/") ? path.startsWith(entry) : path === entry,
  );
}

test("the scan finds the files of src and their imports", () => {
  assert.ok(sources.length > 30, `only ${sources.length} files`);
  const statements = sources.flatMap(importsOf);
  assert.ok(statements.length > 100, `only ${statements.length} imports`);
});

test("the table lists every wing of src, and src has no files beside them", () => {
  const wings = new Set(sources.map(({ path }) => wingOf(path)));
  assert.deepEqual([...wings].sort(), Object.keys(mayImport).sort());
});

test("wings and kinds of files import only what their tables allow", () => {
  assert.deepEqual(violationsIn(Object.keys(mayImportAtTop).flatMap(sourcesIn)), []);
});

const forbidden: readonly (readonly [path: string, target: string])[] = [
  ["src/customers/billing/usage.ts", "../customers/accounts/store.ts"],
  ["src/app/store.ts", "../../harness/postgres.ts"],
  ["src/app/store.ts", "../../client/src/money.ts"],
  ["client/src/send.ts", "../../src/app/store.ts"],
  ["bench/gate.ts", "../test/support/mails.ts"],
  ["test/guide/a.test.ts", "../../bench/run.ts"],
  ["src/platform/shared/clock.ts", "../../rates/served/store.ts"],
  ["src/platform/http/server/server.ts", "../../../app/app.ts"],
  ["src/customers/outbox/deliver.ts", "../../rates/served/store.ts"],
  ["src/rates/served/store.ts", "../../bookkeeping/export/store.ts"],
  ["src/rates/served/rules/rate.ts", "node:fs"],
  ["src/customers/sessions/sessions.ts", "./sql.ts"],
  ["src/customers/api-keys/http.ts", "./sql.ts"],
  ["src/customers/api-keys/sql.ts", "../../platform/http/server.ts"],
  ["src/operations/backups/cli.ts", "../../platform/audit/sql.ts"],
  ["src/app/service.ts", "../rates/served/rules/symbol.ts"],
  ["src/reads/mcp/tools.ts", "../../rates/sources/refresh.ts"],
];
const allowed: typeof forbidden = [
  ["src/app/service.ts", "../rates/use-cases.ts"],
  ["src/reads/mcp/tools.ts", "../../rates/served/headers.ts"],
  ["src/customers/api-keys/http.ts", "./api-keys.ts"],
];

test("the check finds a planted import that violates a table", () => {
  const violations = (files: typeof forbidden) =>
    files.flatMap(([path, target]) => {
      const text = `import { a } from "${target}";`;
      return violationsIn([{ path, text, code: text }]);
    });
  assert.equal(violations(forbidden).length, forbidden.length);
  assert.deepEqual(violations(allowed), []);
});

test("the table lists each wing after those that it may import, and each arrow is in use", () => {
  const order = Object.keys(mayImport);
  const used = new Set(
    sources.flatMap((file) =>
      importsOf(file).map((statement) => {
        return `${wingOf(file.path)} -> ${wingOf(targetOf(file, statement) ?? "")}`;
      }),
    ),
  );
  const wrong = Object.entries(mayImport).flatMap(([wing, targets]) =>
    targets
      .filter(
        (target) =>
          order.indexOf(target) >= order.indexOf(wing) || !used.has(`${wing} -> ${target}`),
      )
      .map((target) => `${wing} -> ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test("another wing imports each module that a wing offers", () => {
  const used = new Set(
    sources.flatMap((file) =>
      importsOf(file).flatMap((statement) => {
        const target = targetOf(file, statement) ?? file.path;
        const [from, to] = [wingOf(file.path), wingOf(target)];
        return from === to ? [] : [`${to}/${entryOf(target, from)}`];
      }),
    ),
  );
  const entries = Object.entries(offered).flatMap(([wing, modules]) =>
    Object.keys(modules).map((entry) => `${wing}/${entry}`),
  );
  assert.deepEqual(
    entries.filter((entry) => !used.has(entry)),
    [],
  );
});

test("no two rooms of src import each other, even by way of others", () => {
  const rooms = Map.groupBy(sources, ({ path }) => roomOf(path));
  const files = [...rooms].map(([room, inside]) => {
    const targets = new Set(
      inside.flatMap((file) =>
        importsOf(file).map((statement) => roomOf(targetOf(file, statement) ?? file.path)),
      ),
    );
    targets.delete(room);
    return { path: room, targets: [...targets] };
  });
  assert.deepEqual(cyclesAmong(new Map(files.map(({ path, targets }) => [path, targets]))), []);
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

/** The cycles of imports among files. */
const cyclesIn = (files: readonly SourceFile[]): string[] =>
  cyclesAmong(
    new Map(
      files.map((file) => [
        file.path,
        importsOf(file).flatMap((statement) => targetOf(file, statement) ?? []),
      ]),
    ),
  );

/** The cycles of arrows. Each begins where the search met it. */
function cyclesAmong(targets: ReadonlyMap<string, readonly string[]>): string[] {
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
