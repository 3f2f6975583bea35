import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startServer } from "../../test/support/other-server.ts";
import { startService } from "../../test/support/service.ts";
import { newSigningKey } from "../../test/support/signatures.ts";
import { installClient, tourIn } from "./installed.ts";

// Tries the client's package in other runtimes: `npm run trials -- runtimes`. Bun and Deno have 195 MB, so the
// tests' own packages do not include them.

const USAGE = `Set the path of at least one program:
  OLD_NODE   a Node.js, 20 or later
  BUN        Bun, such as that of the npm package @oven/bun-linux-x64
  DENO       Deno, such as that of the npm package @deno/linux-x64-glibc`;

/** How each runs a file, and the `fetch` that never repeats a request (client/README.md). */
const runtimes = {
  OLD_NODE: { args: [], fetch: "fetch" },
  BUN: { args: ["run"], fetch: "(input, init) => fetch(input, { ...init, keepalive: false })" },
  DENO: {
    args: ["run", "--allow-env", "--allow-net"],
    fetch: `(input, init) =>
      fetch(input, { ...init, headers: { ...init?.headers, connection: "close" } })`,
  },
} as const;

const tried = Object.entries(runtimes).flatMap(([name, how]) => {
  const program = process.env[name];
  return program === undefined ? [] : [{ name, program, ...how }];
});

await using service = await startService({ config: { signingKey: newSigningKey() } });
await using directory = await mkdtempDisposable(join(tmpdir(), "kurs-client-"));
await installClient(directory.path);
for (const { name, program, args, fetch } of tried) {
  await tourIn(service, directory.path, [program, ...args]);
  assert.equal(await requestsOfTwoReads([program, ...args], fetch), 2);
  console.log(`${name}: the client works, and no read arrives twice, in ${program}`);
}
if (tried.length === 0) {
  console.error(USAGE);
  process.exitCode = 2;
}

/** @returns how many requests arrive where the connection of the second read closes. */
async function requestsOfTwoReads(
  [program = "", ...args]: readonly string[],
  fetch: string,
): Promise<number> {
  let arrived = 0;
  await using server = await startServer((_request, response) => {
    arrived += 1;
    if (arrived > 1) response.destroy();
    else
      response
        .writeHead(200, { "units-charged": "1" })
        .end('{"base":"EUR","quote":"USD","rate":"1"}');
  });
  const reads = `import { createClient } from "@kurs/client";
const kurs = createClient({ url: "${server.url}", fetch: ${fetch} });
await kurs.rates.get("EUR", "USD");
console.log((await kurs.rates.get("EUR", "USD")).error?.code);`;
  await writeFile(join(directory.path, "reads.js"), reads);
  const how = { cwd: directory.path };
  const { stdout } = await promisify(execFile)(program, [...args, "reads.js"], how);
  assert.equal(stdout, "client:network\n");
  return arrived;
}
