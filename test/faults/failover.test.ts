import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../support/assertions.ts";
import { startPrimaryAndStandby } from "../support/primary-and-standby.ts";
import { kurs, serve, temporaryDirectory } from "../support/process.ts";
import { runFailover } from "./failover.ts";

// Two servers that both accept writes are not tested: no client can know which one is right.

// run-failover.ts runs every combination.
for (const [primaryIs, standbyFirst] of [
  ["killed", true],
  ["frozen", false],
] as const) {
  const order = standbyFirst ? "standby listed first" : "primary listed first";
  test(`the nodes find a promoted standby without a restart: primary ${primaryIs}, ${order}`, async (t) => {
    const print = (line: string) => t.diagnostic(line);
    await runFailover({ seconds: 1, standbyFirst, primaryIs, print });
  });
}

test("a node does not start on a standby alone, and a running node serves nothing from it", async () => {
  await using cluster = await startPrimaryAndStandby();
  const { primary, standby } = cluster;
  const urlOf = (...ports: number[]) =>
    `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(",")}/postgres`;
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  const env = { DATABASE_URL: urlOf(primary.port, standby.port) };
  await using node = await serve({ dataDirectory, env });
  const { session, apiKey } = await node.newCustomer("ada@example.org");

  const alone = { DATABASE_URL: urlOf(standby.port) };
  const rejected = await kurs(["serve"], { dataDirectory, env: { PORT: "0", ...alone } });
  assert.equal(rejected.exitCode, 1);
  assert.match(rejected.stderr, /^kurs: .*does not accept writes.*\n$/);
  assert.ok(rejected.stderr.includes(`127.0.0.1:${standby.port}`), rejected.stderr);

  await primary.kill();
  for (let attempt = 0; attempt < 2; attempt += 1) {
    assertFailure(await node.get("/v1/rates/EUR/USD", { apiKey }), 503, "temporarily_unavailable");
    assertFailure(await node.get("/v1/account/usage", { session }), 503, "temporarily_unavailable");
    assertFailure(await node.get("/readyz"), 503, "temporarily_unavailable");
  }
});
