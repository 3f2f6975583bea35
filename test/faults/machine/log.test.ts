import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { freePort } from "../../../harness/postgres.ts";
import { clientOf, openConnection } from "../../support/client.ts";
import { eventually } from "../../support/mails.ts";
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
    const ended = await program.end();
    assert.deepEqual([ended.exitCode, ended.signal], [0, null], ended.stderr);
  });

  test("a reader that is gone, of the log or of the words for people, is not missed", async () => {
    await using directory = await temporaryDirectory();
    // The reader of both takes a line and leaves; the address goes into a file.
    const line = '{ "$@" 2>&1 & echo $! >&2; } | head -n 1 > /dev/null; wait';
    const env = { PATH: process.env.PATH ?? "", PORT: String(await freePort()) };
    await using program = new Program(["serve"], {
      dataDirectory: directory.path,
      env,
      through: runThrough(line),
    });
    const client = clientOf(`http://127.0.0.1:${env.PORT}`);
    const pid = Number(
      await program.waitFor("its process", () => /^\d+$/m.exec(program.stderr)?.[0]),
    );
    try {
      await eventually("service", () => client.get("/readyz").catch(() => undefined));
      const session = await client.openSession("ada@example.org");
      const { apiKey } = await client.createKey(session);
      const untilMs = performance.now() + 1500;
      while (performance.now() < untilMs) {
        assert.equal((await client.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
      }
    } finally {
      process.kill(pid, "SIGTERM");
    }
  });

  test("a reader that stops reading holds up neither an answer nor the end", async () => {
    await using directory = await temporaryDirectory();
    const env = { PATH: process.env.PATH ?? "", PORT: String(await freePort()), LOG_LEVEL: "info" };
    // Nothing reads the pipe, and it holds 64 KiB.
    const line = 'exec "$@" 1> >(echo "reader $BASHPID" >&2; exec sleep 300 > /dev/null 2>&1)';
    await using program = new Program(["serve"], {
      dataDirectory: directory.path,
      env,
      through: ["/bin/bash", "-c", line, "bash"],
    });
    const client = clientOf(await untilAddress(program));
    const session = await client.openSession("ada@example.org");
    const { apiKey } = await client.createKey(session);
    using connection = openConnection(`http://127.0.0.1:${env.PORT}`);
    const reader = Number(
      await program.waitFor("the reader", () => /^reader (\d+)$/m.exec(program.stderr)?.[1]),
    );
    // 200 bytes a line: the pipe is full after a third of these.
    for (let count = 0; count < 990; count += 1) {
      assert.equal((await connection.readRate("EUR/USD", apiKey)).status, 200);
    }
    assert.equal(await client.usedUnits(session), 990);

    process.kill(program.pid, "SIGTERM");
    await eventually("the end", () => !isAlive(program.pid) || undefined);
    // The other end of the pipe is still there: the service has not waited for it.
    assert.ok(isAlive(reader));
    process.kill(reader, "SIGKILL");
  });
});

function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[2] !== "Z";
  } catch {
    return false;
  }
}
