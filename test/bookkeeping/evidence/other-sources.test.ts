import assert from "node:assert/strict";
import { after, test } from "node:test";
import { kursUnchecked } from "../../support/command-line.ts";
import { startService } from "../../support/service.ts";
import { newEvidenceCli } from "./cli.ts";

/** Evidence with another date for which it is asked. */
const askedFor = (text: string, date: string, asked: string) =>
  text.replaceAll(new RegExp(`("asked"|"counted_from"): "${date}"`, "g"), `$1: "${asked}"`);

test("a figure of the bundled snapshot has the snapshot as its document", async () => {
  await using service = await startService();
  const { dataDirectory } = service;
  const command = "rates evidence EUR USD 2026-03-13 --source ecb --rule on --out -";
  const made = await kursUnchecked(command.split(" "), { dataDirectory });
  assert.deepEqual([made.exitCode, made.stderr], [0, ""]);
  assert.match(made.stdout, /^ {2}"publication_source": "snapshot",$/m);

  const input = made.stdout;
  const ended = await kursUnchecked(["rates", "evidence", "verify", "-"], { input });
  // Nobody has signed it.
  assert.deepEqual([ended.exitCode, ended.stderr], [3, ""]);
  assert.match(ended.stdout, /^holds +the parser of snapshot reads 1 EUR = 1\.1476 USD/m);
  assert.match(ended.stdout, /^holds +line [0-9]+, column [0-9]+ of document 1 states it: 1\.14/m);
});

test("the days of a source without a calendar are not proven", async () => {
  await using cli = await newEvidenceCli();
  const file = await cli.write(
    "own.csv",
    "base,quote,rate,as_of\nEUR,GBP,0.84,2026-03-02T10:00:00Z\n",
  );
  assert.equal((await cli.run(`rates import ${file}`)).exitCode, 0);
  const command = "EUR GBP 2026-03-04 --source import --rule on-or-before";
  const { json } = await cli.made(`${command} --document ${file}`);
  assert.equal(json.is_calendar_known, false);
  const [exitCode, ...lines] = await cli.verified();
  assert.equal(exitCode, 3);
  assert.match(
    lines.join("\n"),
    /^not proven +whether import published for 2026-03-03 to 2026-03-04: this Kurs knows no cal/m,
  );
});

test("an older figure of an archive fails where the archive has a nearer one", async () => {
  await using cli = await newEvidenceCli();
  const days = ["2025-03-14", "2025-03-13", "2025-03-12"].map((date) => {
    return `<Cube time="${date}"><Cube currency="USD" rate="1.0${date.slice(-2)}"/></Cube>`;
  });
  await cli.archive("ecb", `<E><Cube>\n${days.join("")}\n</Cube></E>`);
  const older = await cli.made("EUR USD 2025-03-12 --source ecb --rule on-or-before");
  const [exitCode] = await cli.verified();
  assert.equal(exitCode, 0);
  await cli.write("forged.json", askedFor(older.text, "2025-03-12", "2025-03-14"));
  const [failed, ...lines] = await cli.verified("", "forged.json");
  assert.equal(failed, 1);
  assert.match(
    lines.join("\n"),
    /^FAILS +the document states a figure for 2025-03-1[34], which is/m,
  );
});

const shared = await newEvidenceCli();
after(() => shared[Symbol.asyncDispose]());
await shared.fetch("ecb");

for (const [rule, asked, message] of [
  ["on", "2026-03-14", /the rule "on" for 2026-03-14 names another/],
  ["before", "2026-03-13", /the rule "before" for 2026-03-13 names another/],
  ["before", "2026-03-18", /by its calendar ecb published for 2026-03-16, which is nearer/],
  ["on-or-before", "2026-03-12", /the rule "on-or-before" for 2026-03-12 names another/],
  ["on-or-next", "2026-03-14", /the rule "on-or-next" for 2026-03-14 names another/],
  ["on-or-next", "2026-03-12", /by its calendar ecb published for 2026-03-12, which is nearer/],
] as const) {
  test(`the figure of 2026-03-13 fails for the rule ${rule} ${asked}`, async () => {
    // Evidence that holds, of the same rule, with another date put into it.
    const right = rule === "before" ? "2026-03-16" : "2026-03-13";
    const { text } = await shared.made(`EUR USD ${right} --source ecb --rule ${rule}`);
    assert.equal((await shared.verified())[0], 0);
    await shared.write("forged.json", askedFor(text, right, asked));
    const [exitCode, ...lines] = await shared.verified("", "forged.json");
    assert.equal(exitCode, 1);
    const failed = lines.filter((line) => line.startsWith("FAILS"));
    assert.equal(failed.length, 2, failed.join("\n"));
    assert.match(failed[0] ?? "", message);
  });
}
