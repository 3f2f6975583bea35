import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { kurs, serve, temporaryDirectory } from "../support/process.ts";

const main = join(import.meta.dirname, "../../bin/kurs.js");

/** A directory, and an environment in which each start of Node.js is noted there. */
async function notedStarts(nodeOptions = "") {
  const directory = await temporaryDirectory();
  const notes = join(directory.path, "starts");
  const hook = join(directory.path, "note.cjs");
  await writeFile(
    hook,
    `const { isMainThread } = require("node:worker_threads");
    const line = JSON.stringify([process.pid, ...process.execArgv]) + "\\n";
    if (isMainThread) require("node:fs").appendFileSync(process.env.NOTES, line);`,
  );
  return {
    dataDirectory: join(directory.path, "data"),
    env: { NODE_OPTIONS: `--require=${hook} ${nodeOptions}`, NOTES: notes },
    starts: () =>
      readFileSync(notes, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

suite("V8's young generation", { concurrency: 2 }, () => {
  test("is limited in a server, which keeps its process id, output and signals", async () => {
    await using place = await notedStarts();
    await using server = await serve({ main, ...place });
    const { pid } = server.program;
    assert.deepEqual(place.starts(), [[pid], [pid, "--max-semi-space-size=16"]]);

    const customer = await server.newCustomer();
    assert.equal((await customer.read("EUR/USD")).status, 200);
    assert.equal(await customer.usedUnits(), 1);
    const { exitCode, stderr } = await server.stop();
    assert.equal(exitCode, 0);
    assert.doesNotMatch(stderr, /warning/i);
  });

  test("keeps the size that an operator chose", async () => {
    await using place = await notedStarts("--max-semi-space-size=8");
    await using server = await serve({ main, ...place });
    assert.deepEqual(place.starts(), [[server.program.pid]]);
  });

  test("is V8's own where the server would lose the channel to its parent", async () => {
    await using place = await notedStarts();
    const env = { ...place.env, DATA_DIR: place.dataDirectory, PORT: "0", RATE_SOURCES: "" };
    const child = fork(main, ["serve"], { env, execArgv: [], silent: true });
    await once(child.stdout ?? child, "data");
    assert.equal(child.connected, true);
    assert.deepEqual(place.starts(), [[child.pid]]);
    child.kill();
    assert.deepEqual(await once(child, "close"), [0, null]);
  });

  test("is limited in an import, which reads its file and its stdin", async () => {
    await using place = await notedStarts();
    const { dataDirectory } = place;
    const input = "base,quote,rate,as_of\nEUR,XAU,0.5,2026-03-13T15:00:00Z\n";
    const { exitCode, stdout } = await kurs(["rates", "import", "-"], { main, ...place, input });
    assert.deepEqual([exitCode, stdout], [0, "stored 1, unchanged 0, held 0, rejected 0\n"]);
    assert.deepEqual(
      place.starts().map((start) => start.slice(1)),
      [[], ["--max-semi-space-size=16"]],
    );
    const listed = await kurs(["rates", "list", "--json"], { main, dataDirectory });
    assert.match(listed.stdout, /"quote":\s*"XAU"/);
  });

  test("is V8's own in another command, which starts once", async () => {
    await using place = await notedStarts();
    const { exitCode, stderr } = await kurs(["--version"], { main, ...place });
    assert.deepEqual([exitCode, stderr], [0, ""]);
    assert.equal(place.starts().length, 1);
  });
});
