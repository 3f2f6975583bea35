import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { clientOf } from "../../support/client.ts";
import { Program, temporaryDirectory } from "../../support/process.ts";
import { runThrough, untilAddress } from "./faults.ts";

suite("a log that cannot be written", { concurrency: 3 }, () => {
  test("a log on a full disk stops neither the service nor its end", async () => {
    await using directory = await temporaryDirectory();
    await using program = new Program(["serve"], {
      dataDirectory: directory.path,
      env: { PORT: "0" },
      through: runThrough('exec "$@" > /dev/full'),
    });
    const client = clientOf(await untilAddress(program));
    const session = await client.openSession("ada@example.org");
    const { apiKey } = await client.createKey(session);

    // Longer than lines are gathered: each second they are tried, and fail.
    const untilMs = performance.now() + 2200;
    let answers = 0;
    while (performance.now() < untilMs) {
      assert.equal((await client.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
      answers += 1;
      if (answers === 1000) break;
    }
    assert.equal(await client.usedUnits(session), answers);
    program.signal("SIGTERM");
    const ended = await program.end(10_000);
    assert.deepEqual([ended.exitCode, ended.signal], [0, null], ended.stderr);
  });
});
