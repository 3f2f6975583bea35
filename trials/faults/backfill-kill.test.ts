// Real processes of a server and of commands, and 5,700 figures: some 10 s of processor time.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  archived,
  assertStored,
  playArchives,
  servedTables,
  storedFigures,
  TO,
  textOf,
} from "../../test/rates/backfill/played.ts";
import { openConnection } from "../../test/support/client.ts";
import { eventually } from "../../test/support/mails.ts";
import { kurs, Program, serve, temporaryDirectory } from "../../test/support/process.ts";

const DATES = ["--from", "2024-07-01", "--to", TO];
const wanted = archived.ecb.filter(({ date }) => date >= "2024-07-01");
const ALL = wanted.map(textOf);
const dateCount = new Set(wanted.map(({ date }) => date)).size;

test("a backfill that is killed and started again stores every date once, while a server serves", async () => {
  await using archives = await playArchives();
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  await using server = await serve({ dataDirectory, env: { PLAN_FREE_UNITS: "1000000" } });
  const { session, apiKey } = await server.newCustomer("ada@example.org");
  const at = { dataDirectory, env: archives.env };
  const args = ["rates", "backfill", "ecb", ...DATES];
  const servedBefore = servedTables(dataDirectory);
  let isRunning = true;
  const read = async () => {
    using connection = openConnection(server.url);
    const figures: string[] = [];
    while (isRunning) {
      const { status, body, text } = await connection.readRate("EUR/USD", apiKey);
      // A machine that stops the command within a transaction makes a read fail, uncharged.
      if (status === 200) figures.push(String(body.rate));
      else assert.deepEqual([status, body.code], [503, "temporarily_unavailable"], text);
    }
    return figures;
  };
  const reading = read();

  {
    await using killed = new Program(args, at);
    await eventually("some of the figures", () =>
      storedFigures(dataDirectory, "ecb").length > 1000 ? true : undefined,
    );
    killed.signal("SIGKILL");
    await killed.ended;
  }
  const before = storedFigures(dataDirectory, "ecb");
  assert.ok(before.length < ALL.length, `${before.length} figures before it was killed`);
  const { exitCode, stdout, stderr } = await kurs(args, at);
  isRunning = false;
  const figures = await reading;

  const counts = /^ecb: stored ([\d,]+) figures of (\d+) dates \(.*\), ([\d,]+) unchanged, 0 rej/;
  const [, stored = "", dates = "", unchanged = ""] = counts.exec(stdout) ?? [];
  const numberOf = (text: string) => Number(text.replaceAll(",", ""));
  assert.equal(exitCode, 0, stderr);
  assert.equal(numberOf(stored) + numberOf(unchanged), ALL.length, stdout);
  assert.equal(numberOf(unchanged), before.length);
  assert.equal(numberOf(dates), dateCount);
  assertStored(dataDirectory, "ecb", ALL);
  assert.deepEqual([...new Set(figures)], ["1.1476"]);
  assert.equal(await server.usedUnits(session), figures.length);
  assert.deepEqual(servedTables(dataDirectory), servedBefore);
});
