import assert from "node:assert/strict";
import { test } from "node:test";
import { sourcesIn, targetOf } from "./tree.ts";

const sources = new Map(sourcesIn("src").map((file) => [file.path, file]));

/** Statements that load a module at once: not type imports and not `import()`. */
const loading = /^(?:import|export)\s+(?!type\s)(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm;

/** The modules that files load, directly or not, each with a file that loads it. */
function loadedBy(entries: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const seen = new Set<string>();
  const visit = (path: string) => {
    const file = sources.get(path);
    if (file === undefined || seen.has(path)) return;
    seen.add(path);
    for (const [, specifier = ""] of file.text.matchAll(loading)) {
      const target = targetOf(file, { line: 0, specifier, isTypeOnly: false });
      found.set(target ?? specifier, path);
      if (target !== undefined) visit(target);
    }
  };
  for (const entry of entries) visit(entry);
  return found;
}

const loaded = loadedBy(["src/app/main.ts", "src/app/service.ts"]);

test("the scan finds packages that a start loads", () => {
  for (const needed of ["fastify", "pino", "node:sqlite"]) assert.ok(loaded.has(needed), needed);
});

test("a start loads no file of bookkeeping: only commands need them", () => {
  assert.ok(loaded.has("src/rates/store.ts"));
  const isBookkeeping = (path: string) => path.startsWith("src/bookkeeping/");
  assert.deepEqual([...loaded.keys()].filter(isBookkeeping), []);
});

test("a command does not load what hashes passwords: only a server does", () => {
  const pool = "src/customers/passwords/hashing/hash-pool.ts";
  assert.ok(loaded.has(pool));
  const commands = ["src/app/main.ts", "src/app/commands.ts", "src/app/command-store.ts"];
  assert.equal(loadedBy(commands).get(pool), undefined);
});

for (const [name, reason] of [
  ["node:http", "an import statement of it loads undici, 15 MB"],
  ["typebox", "400 files"],
  ["typebox/schema", "only bodies are checked"],
  ["typebox/format", "only a configured sender address is validated"],
  ["@fastify/type-provider-typebox", "its types alone are used"],
  ["@modelcontextprotocol/server", "few calls of MCP need it"],
  ["nodemailer", "only mails need it"],
  ["jose", "only evidence files need it"],
  ["commander", "only commands need it"],
  ["pg", "only PostgreSQL needs it"],
] as const) {
  test(`a start does not load ${name}: ${reason}`, () => {
    assert.equal(loaded.get(name), undefined);
  });
}
