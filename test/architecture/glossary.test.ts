import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT, trackedFiles } from "./tree.ts";

// The column "never" of docs/glossary.md, searched in code and documents.

/** Names with a word that the glossary rules out. */
const names: Readonly<Record<string, string>> = {
  KursUnavailableAnswers: "an alarm's name",
  "kurs-unavailable-answers": "that alarm's page",
  KursLogInsRefused: "an alarm's name",
  "kurs-log-ins-refused": "that alarm's page",
  kurs_hashing_refused_total: "a metric's name",
  currencyCode: "a member of the Czech National Bank's JSON",
  currency_code: "a member of Bank Negara Malaysia's JSON",
  CurrencyCode: "an attribute of the Turkish central bank's XML",
  "Currency Code": "a column of HM Revenue & Customs' CSV",
  PURGE: "a method of HTTP",
};

/** The tests' client of the service calls its view of a response an answer. */
const clients = /^(?:test|bench|harness)\//;

/** Written by others, or about the glossary itself. */
const skipped = /^docs\/(?:glossary|specification)\.md$|^test\/architecture\/glossary\.test\.ts$/;
const searched =
  /^(?:src|client|console\/src|bench|harness|test|scripts|docs)\/.*\.(?:tsx?|js|md)$|^\w+\.md$/;

const glossary = readFileSync(join(ROOT, "docs/glossary.md"), "utf8");
const rows = glossary.split("\n").filter((line) => line.startsWith("| "));
const words = rows.slice(1).flatMap((row) => {
  const never = row.split("|")[3]?.trim() ?? "";
  return never === "" ? [] : never.split(", ");
});

const wordIn = new Map(
  words.map((word) => {
    const parts = word.replaceAll(" ", "[\\s*/]+").replace(/e$/, "(?:e|(?=ing))");
    return [word, new RegExp(`(?<![a-z])${parts}(?:s|d|ed|ing)?(?![a-z])`, "i")];
  }),
);
const any = new RegExp([...wordIn.values()].map(({ source }) => source).join("|"), "gi");

/** An identifier's words apart, at the same places: `clientIp` as `client Ip`. */
const split = (text: string) =>
  text.replaceAll("_", " ").replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ");

interface Place {
  readonly word: string;
  readonly path: string;
  readonly line: number;
}

const files = trackedFiles()
  .filter((path) => searched.test(path) && !skipped.test(path))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));

const anyName = new RegExp(Object.keys(names).join("|"), "g");

const places: readonly Place[] = files.flatMap(({ path, text }) => {
  const searchable = split(text.replaceAll(anyName, "…"));
  return [...searchable.matchAll(any)].map((match) => {
    const [word = ""] = [...wordIn].find(([, pattern]) => pattern.test(match[0])) ?? [];
    return { word, path, line: searchable.slice(0, match.index).split("\n").length };
  });
});

test("no identifier, comment, message or document has a word that the glossary rules out", () => {
  assert.ok(words.length > 40);
  const found = places.filter(({ word, path }) => word !== "answer" || !clients.test(path));
  assert.deepEqual(
    found.map(({ word, path, line }) => `${path}:${line}: ${word}`),
    [],
  );
});

test("each exception from the glossary is needed", () => {
  assert.ok(places.some(({ word, path }) => word === "answer" && clients.test(path)));
  const unused = Object.keys(names).filter(
    (name) => !files.some(({ text }) => text.includes(name)),
  );
  assert.deepEqual(unused, []);
});
