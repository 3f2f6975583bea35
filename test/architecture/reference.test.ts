import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kurs } from "../support/command-line.ts";
import { ROOT } from "./tree.ts";

// The lists of commands and events in the documents are those of the program.

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const matchesOf = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, found = ""]) => found);

/** The first cell of each row of the tables in a document. */
const firstCellsOf = (path: string) =>
  read(path)
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split(" | ")[0] ?? "");

/** The commands below one, each with the words of its groups: `accounts sessions end`. */
async function commandsBelow(group: readonly string[]): Promise<string[]> {
  const { stdout } = await kurs([...group, "--help"]);
  const [, list] = stdout.split("\nCommands:\n");
  if (list === undefined) return [group.join(" ")];
  const names = matchesOf(list.split("\n\n")[0] ?? "", /^ {2}([\w-]+)/gm);
  const below = names.filter((name) => name !== "help").map((name) => [...group, name]);
  // `kurs backup [options] [command] [file]` is a command itself, too.
  const own = /^Usage: .*\[command\] \S/.test(stdout) ? [group.join(" ")] : [];
  return [...own, ...(await Promise.all(below.map(commandsBelow))).flat()];
}

test("docs/commands.md lists every command, and no other", async () => {
  const listed = firstCellsOf("docs/commands.md").flatMap((cell) => {
    const [first = "", ...others] = matchesOf(cell, /`((?:kurs )?[a-z][a-z -]*[a-z])/g);
    const group = first.replace(/ [a-z-]+$/, "");
    // `kurs rates suspend`, `resume`: the second is in the group of the first.
    const full = others.map((other) => (other.startsWith("kurs ") ? other : `${group} ${other}`));
    return [first, ...full].map((command) => command.replace("kurs ", ""));
  });

  const commands = await commandsBelow([]);

  assert.ok(commands.length > 40, `only ${commands.length} commands`);
  assert.deepEqual(listed.sort(), commands.sort());
});

test("docs/operating/accounts.md lists every action of the audit log, and no other", () => {
  const [, table = ""] = read("docs/operating/accounts.md").split("| about | actions |");
  const [rows = ""] = table.split("\n\n");

  const actions = matchesOf(read("src/audit/rules.ts"), /^ {2}\| "([\w.]+)"/gm);

  assert.ok(actions.length > 30, `only ${actions.length} actions`);
  assert.deepEqual(matchesOf(rows, /`(\w+\.\w+)`/g).sort(), actions.sort());
});
