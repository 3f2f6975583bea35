import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { type Server, serve, temporaryDirectory } from "../support/process.ts";
import { openWire } from "../support/raw-connection.ts";

const root = join(import.meta.dirname, "../..");

/**
 * A server as a Node.js that is too old starts it, on the pinned one: in a child process or, if the
 * old one can, in its own place.
 */
async function serveFromOldNode({ canReplaceItself = false } = {}) {
  await using starting = new AsyncDisposableStack();
  const { path } = starting.use(await temporaryDirectory());
  const main = join(path, "old.mjs");
  await writeFile(
    main,
    `import { runOnPinned } from ${JSON.stringify(join(root, "scripts/run.js"))};
    ${canReplaceItself ? "" : "process.execve = undefined;"}
    runOnPinned([${JSON.stringify(join(root, "bin/kurs.js"))}, ...process.argv.slice(2)]);`,
  );
  // The first process leads a group, as the job of a shell does.
  const through = ["setsid"];
  const server = starting.use(await serve({ main, through, dataDirectory: join(path, "data") }));
  const started = starting.move();
  return { server, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** Sends half a request, stops the server, and completes the request while the server stops. */
async function stopDuringRequest(
  server: Server,
  stop: () => void,
  whileStopping?: () => void,
): Promise<number> {
  using wire = await openWire(server.url);
  // Invalid, so that no password is hashed: a busy machine would respond with 503.
  const body = JSON.stringify({ email: "ada@example.org" });
  wire.send(
    "POST /v1/auth/login HTTP/1.1\r\nHost: kurs\r\nContent-Type: application/json\r\n" +
      `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  assert.equal((await wire.answer()).status, 100);
  stop();
  await server.program.waitFor("the log line of stopping", () =>
    server.logLines().find(({ msg }) => msg === "stopping"),
  );
  whileStopping?.();
  wire.send(body);
  return (await wire.answer()).status;
}

suite("a server that an old Node.js has started on the pinned one", { concurrency: 2 }, () => {
  const stops = {
    "Ctrl-C, which a terminal sends to the whole group,": (pid: number) => {
      process.kill(-pid, "SIGINT");
    },
    "a hang-up of the terminal": (pid: number) => process.kill(-pid, "SIGHUP"),
    "SIGTERM to the first process": (pid: number) => process.kill(pid, "SIGTERM"),
  };
  for (const [what, stop] of Object.entries(stops)) {
    test(`serves its requests in flight after ${what} and exits with 0`, async () => {
      await using started = await serveFromOldNode();
      const { server } = started;
      assert.equal(await stopDuringRequest(server, () => stop(server.program.pid)), 400);
      const { exitCode, signal } = await server.program.end();
      assert.deepEqual([exitCode, signal], [0, null]);
    });
  }

  test("stops and serves its requests in flight after the first process was killed", async () => {
    await using started = await serveFromOldNode();
    const { server } = started;
    assert.equal(await stopDuringRequest(server, () => server.program.signal("SIGKILL")), 400);
    // The output is open as long as the server runs.
    const { signal } = await server.program.end();
    assert.equal(signal, "SIGKILL");
  });
});

test("a Node.js that can replace itself leaves no second process beside the server", async () => {
  await using started = await serveFromOldNode({ canReplaceItself: true });
  const { server } = started;
  const children = `/proc/${server.program.pid}/task/${server.program.pid}/children`;
  assert.equal(await readFile(children, "utf8"), "");
  assert.equal(
    await stopDuringRequest(server, () => process.kill(-server.program.pid, "SIGINT")),
    400,
  );
  assert.equal((await server.program.end()).exitCode, 0);
});

for (const [what, signal] of [
  ["a Ctrl-C that arrives twice, from the terminal and from npm, counts once", "SIGINT"],
  ["a server stops as on SIGTERM when its terminal hangs up, once or twice", "SIGHUP"],
] as const) {
  test(what, async () => {
    await using directory = await temporaryDirectory();
    await using server = await serve({ dataDirectory: directory.path });
    const stop = () => {
      server.program.signal(signal);
      server.program.signal(signal);
    };
    // A later SIGINT is another Ctrl-C, which exits at once.
    const status = await stopDuringRequest(server, stop, signal === "SIGHUP" ? stop : undefined);
    assert.equal(status, 400);
    assert.equal((await server.program.end()).exitCode, 0);
  });
}
