import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { referencePages } from "../../guide/reference/pages.ts";
import { failureCodes, statusOf } from "../../src/platform/shared/failure.ts";
import { kurs } from "../support/command-line.ts";

const pages = new Map((await referencePages()).map(({ path, markdown }) => [path, markdown ?? ""]));

const page = (name: string): string => {
  const text = pages.get(`reference/${name}`);
  assert.ok(text !== undefined, `there is no page ${name}`);
  return text;
};

/** The headings of a page's sections. */
const headingsOf = (text: string) =>
  [...text.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading);

test("the page of commands has the help of each, as the command prints it", async () => {
  const text = page("commands-help");
  const names = headingsOf(text);
  assert.ok(names.length > 60, `only ${names.length} commands`);
  assert.equal(new Set(names).size, names.length);
  for (const name of ["kurs", "kurs serve", "kurs rates for", "kurs accounts sessions end"]) {
    const { stdout } = await kurs([...name.split(" ").slice(1), "--help"]);
    assert.ok(text.includes(`## ${name}\n\n\`\`\`text\n${stdout.trimEnd()}\n\`\`\``), name);
  }
});

test("the page of errors has every code with its status, and who responds with it", () => {
  const text = page("errors");
  assert.deepEqual(headingsOf(text), failureCodes);
  for (const code of failureCodes) {
    assert.match(text, new RegExp(`^## ${code}\n\nStatus ${statusOf[code]}\\.\n\n\\S`, "m"));
  }
  const [, unsupported = ""] = text.split("## unsupported_pair");
  assert.match(unsupported.split("## ")[0] ?? "", /: `GET \/v1\/rates\/\{base\}\/\{quote\}`/);
});

test("the page of metrics has each with its type and help", () => {
  const text = page("metrics");
  assert.ok((text.match(/^\| `/gm)?.length ?? 0) > 25, text);
  assert.match(text, /^\| `kurs_units_charged_total` \| counter \| Request units charged/m);
  assert.match(text, /^\| `kurs_commit_duration_seconds` \| histogram \| \S/m);
});

test("the page of alarms has each with its rule and a link to its page", () => {
  const text = page("alarms");
  const documents = readdirSync(join(import.meta.dirname, "../../docs/alarms"));
  assert.equal(headingsOf(text).length, documents.length);
  for (const document of documents) assert.ok(text.includes(`(../alarms/${document})`), document);
  assert.match(text, /^up\{job="kurs"\} == 0$/m);
  assert.doesNotMatch(text, /undefined/);
  assert.doesNotMatch(text, /\{\{/, "a template of an alarm is no text for readers");
});
