import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../support/assertions.ts";
import { eventually } from "../support/mails.ts";
import { startPrimaryAndStandby } from "../support/primary-and-standby.ts";
import { kurs, serve, temporaryDirectory } from "../support/process.ts";

// One failover without load. The trials of trials/faults kill and freeze primaries under load.
// Expensive: two servers of PostgreSQL of its own, because it kills one of them.

test("a node serves nothing from a standby, and finds it without a restart when it is promoted", async () => {
  await using cluster = await startPrimaryAndStandby();
  const { primary, standby } = cluster;
  const urlOf = (...ports: number[]) =>
    `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(",")}/postgres`;
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  const env = { DATABASE_URL: urlOf(primary.port, standby.port) };
  await using node = await serve({ dataDirectory, env });
  const { session, apiKey, usedUnits } = await node.newCustomer("ada@example.org");
  /** Reads that were charged, and those of which nobody can know it. */
  let [charged, inDoubt] = [0, 0];
  const read = async () => {
    const answer = await node.get("/v1/rates/EUR/USD", { apiKey });
    const units = answer.headers["units-charged"];
    if (units === undefined) inDoubt += 1;
    else charged += Number(units);
    return answer;
  };
  const untilServed = () =>
    eventually("a rate", async () => ((await read()).status === 200 ? true : undefined));
  await untilServed();

  const alone = { DATABASE_URL: urlOf(standby.port) };
  const rejected = await kurs(["serve"], { dataDirectory, env: { PORT: "0", ...alone } });
  assert.equal(rejected.exitCode, 1);
  assert.match(rejected.stderr, /^kurs: .*does not accept writes.*\n$/);
  assert.ok(rejected.stderr.includes(`127.0.0.1:${standby.port}`), rejected.stderr);

  await primary.kill();
  assertFailure(await read(), 503, "temporarily_unavailable");
  assertFailure(await node.get("/v1/account/usage", { session }), 503, "temporarily_unavailable");
  assertFailure(await node.get("/readyz"), 503, "temporarily_unavailable");

  await standby.promote();
  await untilServed();
  const used = await eventually("the usage", () => usedUnits());
  assert.ok(charged <= used && used <= charged + inDoubt, `${charged} <= ${used}, ${inDoubt}`);
});
