import assert from "node:assert/strict";
import { chmod, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { type Answer, openConnection } from "../../support/client.ts";
import { eventually, mailTo } from "../../support/mails.ts";
import { Program, temporaryDirectory } from "../../support/process.ts";
import { openSockets } from "../../support/resources.ts";
import {
  assertServed,
  type FaultyServer,
  leaveDescriptors,
  limit,
  runThrough,
  startServer,
} from "./faults.ts";

/**
 * Leaves a server one descriptor more at a time, so that it lacks one at each step that needs one:
 * each call is refused, until one is answered.
 */
async function assertRefusedUntilThereAreEnough(
  { program }: FaultyServer,
  status: number,
  call: () => Promise<Answer>,
): Promise<void> {
  for (let more = 0; more < 20; more += 1) {
    await leaveDescriptors(program, more);
    const reply = await call();
    if (reply.status === status) return assert.ok(more > 0, "nothing was refused");
    assert.equal(reply.status, 503, reply.text);
    assert.match(reply.text, /"temporarily_unavailable"/);
  }
  assert.fail("it was never answered");
}

/** Root may write everywhere, unless it has laid down that right. */
const AS_OTHERS =
  process.getuid?.() === 0
    ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    : runThrough('exec "$@"');

const ENVIRONMENT = { PATH: process.env.PATH ?? "", PORT: "0" };

suite("a machine that has too little to give", { concurrency: 2 }, () => {
  test("too few file descriptors for a part that is loaded late: 503 however few, then all is well", async () => {
    await using server = await startServer();
    const sockets = openSockets(server.program.pid);
    const customer = await server.newCustomer("ada@example.org");
    // Until then a file is open that is free again a moment later.
    await eventually(
      "the mail",
      () => server.logLines().some(({ msg }) => msg === "a mail was delivered") || undefined,
    );
    using connection = openConnection(server.url);
    const asks = async (status: number, path: string) => {
      const { apiKey } = customer;
      assert.equal((await connection.get(path, { apiKey })).status, status);
    };
    await asks(200, "/readyz");
    await eventually(
      "the end of all others",
      () => openSockets(server.program.pid) === sockets + 1 || undefined,
    );

    await assertRefusedUntilThereAreEnough(server, 200, async () => {
      await asks(200, "/readyz");
      const headers = { accept: "application/json, text/event-stream" };
      const json = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
      return await connection.post("/v1/mcp", { apiKey: customer.apiKey, headers, json });
    });
    await leaveDescriptors(server.program, 0);
    await asks(200, "/v1/rates/EUR/USD");
    await limit(server.program, "nofile", 1024);
    assert.equal(await customer.usedUnits(), 1);
    await server.stopWell();
  });

  test("too few file descriptors for the first password: 503 however few, then one account", async () => {
    await using server = await startServer({ env: { AUTH_LIMIT: "100" } });
    using connection = openConnection(server.url);
    const json = { email: "ada@example.org", password: "correct horse battery" };
    const register = () => connection.post("/v1/auth/register", { json });
    assert.equal((await connection.readRate("EUR/USD", "none")).status, 401);
    await assertRefusedUntilThereAreEnough(server, 201, register);
    assert.equal((await register()).status, 409);
    await limit(server.program, "nofile", 1024);
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
    await server.newCustomer("ada@example.org");
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
    const customer = await server.newCustomer("ada@example.org");
    using other = new DatabaseSync(join(directory.path, "kurs.db"), { timeout: 5000 });
    other.exec("BEGIN EXCLUSIVE");
    for (let count = 0; count < 4; count += 1) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => customer.read()));
      for (const answer of answers) assertFailure(answer, 503, "temporarily_unavailable");
      assertFailure(await customer.client.get("/readyz"), 503, "temporarily_unavailable");
      assert.equal((await customer.client.get("/healthz")).status, 200);
    }
    other.exec("ROLLBACK");
    await assertServed(customer);
    assert.equal(await customer.usedUnits(), 1);
    await server.stopWell();
  });
});
