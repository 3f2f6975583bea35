import assert from "node:assert/strict";
import { test } from "node:test";
import { migrationsIn } from "../../src/platform/storage/migrations.ts";
import { placesOf, type SourceFile, sourcesIn } from "./tree.ts";

const schema = migrationsIn("sqlite")
  .map(({ readSql }) => readSql())
  .join("\n");

const namesIn = (declaration: RegExp) =>
  [...schema.matchAll(declaration)].flatMap(([, name = ""]) => (name === OWN ? [] : [name]));

/** The storage's own table. */
const OWN = "database_id";

const tables = namesIn(/CREATE (?:TABLE|VIEW) (\w+)/g);
const columns = namesIn(/^ {2}(\w+) (?:TEXT|INTEGER|BLOB)\b/gm);

// A plain word is a name where SQL or a literal has it; one with an underscore is one everywhere.
const plain = tables.filter((name) => !name.includes("_")).join("|");
const underscored = [...tables, ...columns].filter((name) => name.includes("_")).join("|");
const inSql = `(?:FROM|JOIN|INTO|UPDATE|TABLE) +(?:\\w+\\.)?(?:${plain})\\b`;
const named = new RegExp(`\\b(?:${underscored}|${inSql})\\b|["'](?:${plain})["']`, "g");

const namesOfFeatures = (files: readonly SourceFile[]) =>
  placesOf(
    files.map((file) => ({ ...file, code: file.text })),
    named,
  );

test("no file of the storage names a table or a column of a feature", () => {
  assert.ok(tables.length > 20 && columns.length > 80);
  assert.deepEqual(namesOfFeatures(sourcesIn("src/platform/storage")), []);
});

test("the check finds a planted name", () => {
  const planted = ["exec('DELETE FROM plans')", "key_hash = $1", 'name === "plans"', "the plans"];
  const found = planted.map((text) => namesOfFeatures([{ path: "a.ts", text, code: "" }]).length);
  assert.deepEqual(found, [1, 1, 1, 0]);
});
