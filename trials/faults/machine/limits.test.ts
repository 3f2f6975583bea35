import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { ROOT } from "../../../test/architecture/tree.ts";
import { type Answer, openConnection } from "../../../test/support/client.ts";
import { eventually } from "../../../test/support/mails.ts";
import { Program, temporaryDirectory } from "../../../test/support/process.ts";
import { openSockets } from "../../../test/support/resources.ts";
import { type FaultyServer, leaveDescriptors, limit, runThrough, startServer } from "./faults.ts";

/**
 * Raises a server's free descriptors one by one, so that each step that needs one fails once.
 * Asserts that the call returns 503 until the descriptors suffice.
 */
async function assertRejectedUntilSufficient(
  { program }: FaultyServer,
  status: number,
  call: () => Promise<Answer>,
): Promise<void> {
  for (let more = 0; more < 20; more += 1) {
    await leaveDescriptors(program, more);
    const reply = await call();
    if (reply.status === status) return assert.ok(more > 0, "no call was rejected");
    assert.equal(reply.status, 503, reply.text);
    assert.match(reply.text, /"temporarily_unavailable"/);
  }
  assert.fail("no call succeeded");
}

/** Runs a program without root's right to write everywhere. */
const AS_OTHERS =
  process.getuid?.() === 0
    ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    : runThrough('exec "$@"');

const ENVIRONMENT = { PATH: process.env.PATH ?? "", PORT: "0" };

suite("a machine that lacks resources", { concurrency: 2 }, () => {
  test("with too few file descriptors to load a module later, a call returns 503 until there are enough", async () => {
    await using server = await startServer();
    const sockets = openSockets(server.program.pid);
    const customer = await server.newCustomer("ada@example.org");
    // The delivery keeps a file open for a short time.
    await eventually(
      "the mail",
      () => server.logLines().some(({ msg }) => msg === "a mail was delivered") || undefined,
    );
    using connection = openConnection(server.url);
    const expectStatus = async (status: number, path: string) => {
      const { apiKey } = customer;
      assert.equal((await connection.get(path, { apiKey })).status, status);
    };
    await expectStatus(200, "/readyz");
    await eventually(
      "the end of all others",
      () => openSockets(server.program.pid) === sockets + 1 || undefined,
    );

    await assertRejectedUntilSufficient(server, 200, async () => {
      await expectStatus(200, "/readyz");
      const headers = { accept: "application/json, text/event-stream" };
      const json = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
      return await connection.post("/v1/mcp", { apiKey: customer.apiKey, headers, json });
    });
    await leaveDescriptors(server.program, 0);
    await expectStatus(200, "/v1/rates/EUR/USD");
    await limit(server.program, "nofile", 1024);
    assert.equal(await customer.usedUnits(), 1);
    await server.stopWell();
  });

  test("with too few file descriptors to hash the first password, a registration returns 503", async () => {
    await using server = await startServer({ env: { AUTH_LIMIT: "100" } });
    using connection = openConnection(server.url);
    const json = { email: "ada@example.org", password: "correct horse battery" };
    const register = () => connection.post("/v1/auth/register", { json });
    assert.equal((await connection.readRate("EUR/USD", "none")).status, 401);
    await assertRejectedUntilSufficient(server, 201, register);
    assert.equal((await register()).status, 409);
    await limit(server.program, "nofile", 1024);
    await server.stopWell();
  });

  test("a server does not start on a read-only directory, says why in one sentence and writes nothing", async () => {
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

  test("a restore from a directory that this user may not enter says so in one sentence", async () => {
    await using directory = await temporaryDirectory();
    const closed = join(directory.path, "closed");
    await mkdir(closed, { mode: 0o000 });
    const file = join(closed, "kurs.backup.db");
    const dataDirectory = join(directory.path, "data");
    await using program = new Program(["restore", file], { dataDirectory, through: AS_OTHERS });

    const { exitCode, stdout, stderr } = await program.end();

    assert.deepEqual([exitCode, stdout], [1, ""]);
    const reason = "permission is denied; run this as a user who has it";
    assert.equal(stderr, `kurs: Cannot use ${file}: ${reason}.\n`);
  });

  test("a program whose files this user may not read names the file, and not the data directory", async () => {
    await using directory = await temporaryDirectory();
    const at = (name: string) => join(directory.path, name);
    for (const name of ["bin", "scripts", "src", "migrations", "package.json"]) {
      await cp(join(ROOT, name), at(name), { recursive: true });
    }
    await symlink(join(ROOT, "node_modules"), at("node_modules"));
    const options = { main: at("src/app/main.ts"), dataDirectory: at("data"), through: AS_OTHERS };
    const first = at("migrations/sqlite/0020-initial.sql");
    for (const [unreadable, mode] of [
      [first, 0o644],
      [at("migrations/sqlite"), 0o755],
    ] as const) {
      await chmod(unreadable, 0);
      for (const args of [["migrate"], ["serve"]]) {
        await using program = new Program(args, options);
        const { exitCode, stderr } = await program.end();
        assert.equal(
          stderr,
          `kurs: Cannot read ${unreadable}, which is part of the program: permission is denied; ` +
            "let this user read the whole installation.\n",
        );
        assert.equal(exitCode, 1);
      }
      await chmod(unreadable, mode);
    }
    assert.equal(existsSync(at("data/kurs.db")), false);

    for (const unreadable of [at("src/platform/storage"), at("src/platform/cli/operator.ts")]) {
      await chmod(unreadable, 0);
      await using program = new Program(["migrate"], { ...options, main: at("bin/kurs.js") });
      const { exitCode, stderr } = await program.end();
      assert.match(
        stderr,
        /^kurs: A file of the program is missing or closed to this user: [^\n]*\n/,
      );
      assert.ok(stderr.includes(unreadable), stderr);
      assert.equal(exitCode, 1);
      await chmod(unreadable, 0o755);
    }
  });
});
