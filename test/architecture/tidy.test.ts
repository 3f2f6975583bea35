import assert from "node:assert/strict";
import { test } from "node:test";
import { placesOf, type SourceFile, sourcesIn } from "./tree.ts";

const LINES_MAX = 300;
const COLUMNS_MAX = 100;

const sources = sourcesIn("src");
/** The code of the server and of its client, but for a file that a program generates. */
const written = [...sources, ...sourcesIn("client/src")].filter(
  ({ path }) => path !== "client/src/openapi.ts",
);
const except = (...paths: readonly string[]) => sources.filter(({ path }) => !paths.includes(path));
const filesIn = (...places: readonly string[]) =>
  sources.filter(({ path }) => places.some((place) => path.startsWith(place)));

const lines = ({ text }: SourceFile) => text.replace(/\n$/, "").split("\n");

/** A call of exactly this name: not the end of a longer name and not a method. */
const call = (name: string) => new RegExp(`(?<![.\\w$])${name}\\(`, "g");

const readsEnvironment =
  /\bprocess\s*(?:\?\.|\.|\[)\s*"?env\b|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/g;

test("only config.ts reads the environment", () => {
  assert.deepEqual(placesOf(except("src/app/config.ts"), readsEnvironment), []);
});

const readsTime =
  /\bDate\.now\b|\bnew Date\b(?!\s*\(\s*[^)\s])|(?<!new |[.\w])Date\(|\bTemporal\.Now\b/g;

test("only the clock reads the time", () => {
  assert.deepEqual(placesOf(except("src/platform/shared/clock.ts"), readsTime), []);
});

test("only passwords are normalized, behind their bound: NFKC takes quadratic time", () => {
  assert.deepEqual(placesOf(except("src/customers/passwords/rules.ts"), /\.normalize\(/g), []);
});

test("no code parses a float from text", () => {
  assert.deepEqual(placesOf(sources, /\bparseFloat\b/g), []);
});

test("no code between publisher and client converts a rate to a number", () => {
  // Charges hold units per day and no rates. Commands print counts and sizes.
  const others = /\/cli(?:\/|\.ts$)|\/sqlite-charges\.ts$/;
  const folders = ["rates", "reads/metering", "bookkeeping/provenance", "bookkeeping/export"];
  const onPath = filesIn(
    ...folders.map((folder) => `src/${folder}/`),
    "src/platform/shared/decimal.ts",
  ).filter(({ path }) => !others.test(path));
  assert.ok(onPath.length > 20);
  assert.deepEqual(placesOf(onPath, call("Number")), []);
  assert.deepEqual(placesOf(onPath, /\.(?:toFixed|toPrecision|toExponential)\(/g), []);
});

const dropped = /\bvoid [^;]*?\.(?:then|finally)\(/g;

test("no promise is dropped by void: its rejection would stop the server", () => {
  assert.deepEqual(placesOf(sources, dropped), []);
});

test("no file of src or of the client is longer than 300 lines", () => {
  const long = written.filter((file) => lines(file).length > LINES_MAX);
  assert.deepEqual(
    long.map((file) => `${file.path}:${lines(file).length}: over ${LINES_MAX} lines`),
    [],
  );
});

test("no line of src or of the client is longer than 100 columns", () => {
  const long = written.flatMap((file) =>
    lines(file).flatMap((line, index) => {
      const columns = [...line].length;
      return columns > COLUMNS_MAX ? [`${file.path}:${index + 1}: ${columns} columns`] : [];
    }),
  );
  assert.deepEqual(long, []);
});

test("no comment hides code from the type checker or the linter", () => {
  const hidden = written.flatMap((file) =>
    lines(file).flatMap((line, index) =>
      /@ts-(?:ignore|nocheck)|biome-ignore/.test(line)
        ? [`${file.path}:${index + 1}: ${line.trim()}`]
        : [],
    ),
  );
  assert.deepEqual(hidden, []);
});

test("every pattern finds a planted violation", () => {
  const text = [
    "const a = process.env.PORT;",
    "const b = Date.now() + new Date().getTime() + new Date(5).getTime();",
    "void work().then(() => done());",
    "const c = Number(text) + sourceOfNumber(text) + Type.Number({});",
    '// process.env, "Date.now()"',
  ].join("\n");
  const file = { path: "src/x.ts", text, code: text.replace(/\/\/.*/, "") };
  assert.equal(placesOf([file], readsEnvironment).length, 1);
  assert.equal(placesOf([file], readsTime).length, 2);
  assert.equal(placesOf([file], dropped).length, 1);
  assert.equal(placesOf([file], call("Number")).length, 1);
  assert.deepEqual(placesOf([file], call("Number")), [`src/x.ts:4: ${text.split("\n")[3]}`]);
});
