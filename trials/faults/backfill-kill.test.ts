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
import { Reads } from "../support/reads.ts";

const DATES = ["--from", "2024-07-01", "--to", TO];
const ALL = archived.ecb.filter(({ date }) => date >= "2024-07-01").map(textOf);

test("a backfill that is killed and started again stores every date once, while a server serves", async () => {
  await using archives = await playArchives();
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  await using server = await serve({ dataDirectory, env: { PLAN_FREE_UNITS: "1000000" } });
  const { session, apiKey } = await server.newCustomer("ada@example.org");
  const at = { dataDirectory, env: archives.env };
  const args = ["rates", "backfill", "ecb", ...DATES];
  const servedBefore = servedTables(dataDirectory);
  using connection = openConnection(server.url);
  const figures = new Set<unknown>();
  const read = async () => {
    const answer = await connection.readRate("EUR/USD", apiKey);
    if (answer.status === 200) figures.add(answer.body.rate);
    return answer;
  };
  await using reads = new Reads([read]);

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
  await reads.stop();

  assert.equal(exitCode, 0, stderr);
  assert.ok(stdout.includes(`, ${before.length.toLocaleString("en")} unchanged, 0 rej`), stdout);
  assertStored(dataDirectory, "ecb", ALL);
  assert.deepEqual([...figures], ["1.1476"]);
  // A machine that stops the command within a transaction makes a read fail, uncharged.
  const { "503 temporarily_unavailable": _, ...others } = reads.failed.all();
  assert.deepEqual(others, {});
  assert.equal(await server.usedUnits(session), reads.served);
  assert.deepEqual(servedTables(dataDirectory), servedBefore);
});
