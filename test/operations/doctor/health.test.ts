import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "../../../harness/postgres.ts";
import { kurs } from "../../support/command-line.ts";
import { serve, temporaryDirectory } from "../../support/process.ts";
import { untilStopped } from "../../support/resources.ts";

const health = (env: Record<string, string>) => kurs(["health"], { env });

test("kurs health exits with 0 while the server is alive, however it is told to listen", async () => {
  await using directory = await temporaryDirectory();
  await using server = await serve({ dataDirectory: directory.path, env: { HOST: "0.0.0.0" } });
  const { port } = new URL(server.url);

  for (const host of ["127.0.0.1", "localhost", "0.0.0.0"]) {
    const { exitCode, stdout, stderr } = await health({ HOST: host, PORT: port });
    assert.deepEqual([exitCode, stderr], [0, ""], host);
    assert.match(stdout, /^http:\/\/\S+\/healthz: alive\n$/);
  }
});

test("kurs health exits with 1 and one line when nothing listens", async () => {
  const port = String(await freePort());
  const { exitCode, stdout, stderr } = await health({ PORT: port });
  assert.deepEqual([exitCode, stdout], [1, ""]);
  const url = `http://127.0.0.1:${port}/healthz`;
  assert.equal(
    stderr,
    `kurs: ${url}: connect ECONNREFUSED 127.0.0.1:${port}; is the server running, and on this PORT?\n`,
  );
});

test("kurs health exits with 1 when the server accepts connections and does not respond", async () => {
  await using directory = await temporaryDirectory();
  await using server = await serve({ dataDirectory: directory.path });
  const { port } = new URL(server.url);
  server.program.signal("SIGSTOP");
  await untilStopped(server.program.pid);

  const { exitCode, stderr } = await health({ PORT: port });

  server.program.signal("SIGCONT");
  assert.equal(exitCode, 1);
  assert.match(
    stderr,
    /^kurs: http:\S+: there is no response within 3 s; is the server running, and on this PORT\?\n$/,
  );
});

test("kurs health asks for a port when the server chooses its own", async () => {
  const { exitCode, stderr } = await health({ PORT: "0" });
  assert.deepEqual([exitCode, stderr], [2, "kurs: PORT is 0: set it to the server's port\n"]);
});
