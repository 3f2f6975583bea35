import assert from "node:assert/strict";
import { chmod, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { assertFailure } from "../../support/answers.ts";
import { clientOf } from "../../support/client.ts";
import { eventually, mailTo } from "../../support/mails.ts";
import { Program, temporaryDirectory } from "../../support/process.ts";
import { customerOf, limit, runThrough, startServer } from "./faults.ts";

/** Root may write everywhere, unless it has laid down that right. */
const AS_OTHERS =
  process.getuid?.() === 0
    ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    : runThrough('exec "$@"');

const ENVIRONMENT = { PATH: process.env.PATH ?? "", PORT: "0" };

suite("a machine that has too little to give", { concurrency: 2 }, () => {
  test("no file descriptors left: what needs one is 503, the rest goes on; then all is well", async () => {
    await using server = await startServer();
    const customer = await customerOf(server);
    const { client, apiKey } = customer;
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const list = () =>
      client.call("POST", "/v1/mcp", {
        headers: {
          authorization: `ApiKey ${apiKey}`,
          accept: "application/json, text/event-stream",
        },
        json: message,
      });

    // One connection at a time, and not a file beside it.
    const descriptors = await readdir(`/proc/${server.program.pid}/fd`);
    await limit(server.program, "nofile", descriptors.length + 1);
    await customer.read(200);
    const limited = await list();
    assert.ok([200, 503].includes(limited.status), limited.text);
    if (limited.status === 503) assertFailure(limited, 503, "temporarily_unavailable");
    assert.equal((await client.get("/readyz")).status, 200);

    await limit(server.program, "nofile", 1024);
    assert.equal((await list()).status, 200);
    assert.equal(await customer.usedUnits(), 1);
    await server.stopWell();
  });

  test("no file descriptors for the first password: 503, no account, and a later one is taken", async () => {
    await using server = await startServer();
    const descriptors = await readdir(`/proc/${server.program.pid}/fd`);
    await limit(server.program, "nofile", descriptors.length + 1);
    const client = clientOf(server.url);
    const json = { email: "ada@example.org", password: "correct horse battery" };
    const register = () => client.call("POST", "/v1/auth/register", { json });

    assertFailure(await register(), 503, "temporarily_unavailable");
    await limit(server.program, "nofile", 1024);
    assert.equal((await register()).status, 201);
    await server.stopWell();
  });

  test("a directory that may not be written: no start, one sentence, and nothing in it", async () => {
    await using directory = await temporaryDirectory();
    await chmod(directory.path, 0o500);
    for (const dataDirectory of [directory.path, join(directory.path, "data")]) {
      const options = { dataDirectory, env: ENVIRONMENT, through: AS_OTHERS };
      await using program = new Program(["serve"], options);
      const { exitCode, stdout, stderr } = await program.end();
      assert.deepEqual([exitCode, stdout], [1, ""], stderr);
      assert.match(stderr, /^kurs: Cannot use the [^\n]+(?:writable|right to write)[^\n]*\.\n$/);
    }
    assert.deepEqual(await readdir(directory.path), []);
    await chmod(directory.path, 0o700);
  });

  test("a place for mails that cannot be written: the account is there, and the mail comes later", async () => {
    await using directory = await temporaryDirectory();
    const place = join(directory.path, "mail");
    await writeFile(place, "in the way");
    await using server = await startServer({ dataDirectory: directory.path });
    await customerOf(server);
    using beside = new DatabaseSync(join(directory.path, "kurs.db"), { timeout: 5000 });
    const errors = beside.prepare("SELECT last_error FROM mails WHERE last_error IS NOT NULL");
    await eventually("the failure", () => errors.get());
    await server.stopWell();

    await rm(place);
    await using next = await startServer({ dataDirectory: directory.path });
    assert.ok(await mailTo(directory.path, "ada@example.org", "verify"));
    await next.stopWell();
  });

  test("a lock that another program holds: 503s, uncharged, and all together wait for it but once", async () => {
    await using directory = await temporaryDirectory();
    await using server = await startServer({ dataDirectory: directory.path });
    const customer = await customerOf(server);
    using other = new DatabaseSync(join(directory.path, "kurs.db"), { timeout: 5000 });
    other.exec("BEGIN EXCLUSIVE");
    const sinceMs = performance.now();
    for (let count = 0; count < 4; count += 1) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => customer.ask()));
      for (const answer of answers) assertFailure(answer, 503, "temporarily_unavailable");
      assertFailure(await customer.client.get("/readyz"), 503, "temporarily_unavailable");
      assert.equal((await customer.client.get("/healthz")).status, 200);
    }
    // 32 reads, which would have waited for a second each.
    assert.ok(performance.now() - sinceMs < 16_000);
    other.exec("ROLLBACK");
    await customer.assertServed();
    assert.equal(await customer.usedUnits(), 1);
    await server.stopWell();
  });
});
