import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { failureCodes, statusOf } from "../../src/platform/shared/failure.ts";
import { kurs } from "../support/command-line.ts";
import { startService } from "../support/service.ts";
import { ROOT } from "./tree.ts";

// The lists of commands, events and error codes in the documents are those of the program.

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const matchesOf = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, found = ""]) => found);

/** The first cell of each row of the tables in a document. */
const firstCellsOf = (path: string) =>
  read(path)
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split(" | ")[0] ?? "");

interface Help {
  /** Such as `accounts sessions end`. */
  readonly command: string;
  readonly text: string;
  /** Whether it only has commands below it. */
  readonly isGroup: boolean;
}

/** The help of a command, and of every command below it. */
async function helpsFrom(words: readonly string[]): Promise<Help[]> {
  const { exitCode, stdout: text, stderr } = await kurs([...words, "--help"]);
  assert.deepEqual([exitCode, stderr], [0, ""]);
  const [usage = "", list = ""] = text.split("\nCommands:\n");
  const names = matchesOf(list.split("\n\n")[0] ?? "", /^ {2}([\w-]+)/gm);
  const below = names.filter((name) => name !== "help").map((name) => [...words, name]);
  // `kurs backup [options] [command] [file]` is a command itself, too.
  const isGroup = list !== "" && !/^Usage: .*\[command\] \S/.test(usage);
  const own = { command: words.join(" "), text, isGroup };
  return [own, ...(await Promise.all(below.map(helpsFrom))).flat()];
}

const helps = await helpsFrom([]);

test("docs/commands.md lists every command, and no other", () => {
  const listed = firstCellsOf("docs/commands.md").flatMap((cell) => {
    const [first = "", ...others] = matchesOf(cell, /`((?:kurs )?[a-z][a-z -]*[a-z])/g);
    const group = first.replace(/ [a-z-]+$/, "");
    // `kurs rates suspend`, `resume`: the second is in the group of the first.
    const full = others.map((other) => (other.startsWith("kurs ") ? other : `${group} ${other}`));
    return [first, ...full].map((command) => command.replace("kurs ", ""));
  });

  const commands = helps.filter(({ isGroup }) => !isGroup).map(({ command }) => command);

  assert.ok(commands.length > 40, `only ${commands.length} commands`);
  assert.deepEqual(listed.sort(), commands.sort());
});

test("the help of every command begins with its use, and has an example", () => {
  for (const { command, text } of helps) {
    assert.ok(text.startsWith(`Usage: ${`kurs ${command}`.trim()}`), text);
    assert.match(text, /^Examples?:\n(?:.*\n)* {2}\$ .*kurs /m, command);
  }
});

test("docs/operating/accounts.md lists every action of the audit log, and no other", () => {
  const [, table = ""] = read("docs/operating/accounts.md").split("| about | actions |");
  const [rows = ""] = table.split("\n\n");

  const actions = matchesOf(read("src/platform/audit/rules.ts"), /^ {2}\| "([\w.]+)"/gm);

  assert.ok(actions.length > 30, `only ${actions.length} actions`);
  assert.deepEqual(matchesOf(rows, /`(\w+\.\w+)`/g).sort(), actions.sort());
});

test("docs/api.md lists every error code under its status, and no other", () => {
  const rows = read("docs/api.md").matchAll(/^\| (\d{3}) \| ((?:`\w+`(?:, )?)+) \| \S/gm);
  const documented = [...rows].flatMap(([, status, codes = ""]) =>
    [...codes.matchAll(/\w+/g)].map(([code]) => `${status} ${code}`),
  );

  assert.deepEqual(
    documented.sort(),
    failureCodes.map((code) => `${statusOf[code]} ${code}`).sort(),
  );
});

// Only MCP, which has its own schema, responds with the first, and no operation with the second.
const OUTSIDE_OPENAPI = ["forbidden", "method_not_allowed"];

test("OpenAPI documents every error code at an operation that responds with it", async () => {
  await using service = await startService();
  const { body } = await service.get("/openapi.json");
  const { paths } = body as { paths: Record<string, Record<string, { responses: object }>> };
  const responses = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((operation) => Object.entries(operation.responses));

  const missing = failureCodes.filter(
    (code) =>
      !responses.some(
        ([status, response]: [string, { description: string }]) =>
          status === String(statusOf[code]) && response.description.includes(`\`${code}\``),
      ),
  );

  assert.deepEqual(missing, OUTSIDE_OPENAPI);
});
