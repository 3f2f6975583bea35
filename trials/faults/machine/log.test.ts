import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { freePort } from "../../../harness/postgres.ts";
import { clientOf, openConnection } from "../../../test/support/client.ts";
import { eventually } from "../../../test/support/mails.ts";
import { Program, temporaryDirectory } from "../../../test/support/process.ts";
import { assertRead, runThrough } from "./faults.ts";

/** Starts a server through a command, with a customer. */
async function startThrough(through: readonly string[], env = {}) {
  await using starting = new AsyncDisposableStack();
  const { path: dataDirectory } = starting.use(await temporaryDirectory());
  const options = { dataDirectory, env: { PATH: process.env.PATH ?? "", PORT: "0", ...env } };
  const program = starting.use(new Program(["serve"], { ...options, through }));
  const url = await program.waitFor(
    "its address",
    () => /listens on (\S+)/.exec(program.stderr)?.[1],
  );
  const customer = await clientOf(url).newCustomer("ada@example.org");
  const started = starting.move();
  return { program, url, customer, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

suite("a log that cannot be written", { concurrency: 3 }, () => {
  test("a log on a full disk stops neither the service nor its shutdown", async () => {
    await using server = await startThrough(runThrough('exec "$@" > /dev/full'));
    const { program, customer } = server;

    // The log buffers lines for a second; each write then fails.
    const untilMs = performance.now() + 2200;
    let answers = 0;
    while (performance.now() < untilMs) {
      await assertRead(customer);
      answers += 1;
      if (answers === 1000) break;
    }
    assert.equal(await customer.usedUnits(), answers);
    program.signal("SIGTERM");
    const ended = await program.end();
    assert.deepEqual([ended.exitCode, ended.signal], [0, null], ended.stderr);
  });

  test("the service continues when the reader of its stdout and stderr has gone", async () => {
    await using directory = await temporaryDirectory();
    // `head` reads one line of stdout and stderr and exits; the process id goes to stderr.
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
      const customer = await client.newCustomer("ada@example.org");
      const untilMs = performance.now() + 1500;
      // A fast machine would use up the quota of 1,000 units.
      for (let reads = 0; reads < 900 && performance.now() < untilMs; reads += 1) {
        await assertRead(customer);
      }
    } finally {
      process.kill(pid, "SIGTERM");
    }
  });

  test("a log reader that stops reading delays neither responses nor the shutdown", async () => {
    // Nothing reads the pipe, whose buffer is 64 KiB.
    const line = 'exec "$@" 1> >(echo "reader $BASHPID" >&2; exec sleep 300 > /dev/null 2>&1)';
    const through = ["/bin/bash", "-c", line, "bash"];
    await using server = await startThrough(through, { LOG_LEVEL: "info" });
    const { program, url, customer } = server;
    using connection = openConnection(url);
    const reader = Number(
      await program.waitFor("the reader", () => /^reader (\d+)$/m.exec(program.stderr)?.[1]),
    );
    // At 200 bytes per line, a third of these fills the pipe.
    for (let count = 0; count < 990; count += 1) {
      assert.equal((await connection.readRate("EUR/USD", customer.apiKey)).status, 200);
    }
    assert.equal(await customer.usedUnits(), 990);

    process.kill(program.pid, "SIGTERM");
    await eventually("the end", () => !isAlive(program.pid) || undefined);
    // The reader still holds the pipe, so the service did not wait for it.
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
