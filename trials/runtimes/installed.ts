import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { PASSWORD } from "../../test/support/client.ts";
import type { TestService } from "../../test/support/service.ts";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** Uses every part of the client, in any runtime. */
const tour = `
import { createClient, times } from "@kurs/client";
import { fetchKeys, verify } from "@kurs/client/verify";

export async function tour({ url, apiKey, email, password }) {
  const kurs = createClient({ url, apiKey, share: true });
  const [read, joined] = await Promise.all([kurs.rates.get("EUR", "USD"), kurs.rates.get("EUR", "USD")]);
  const { data, body, unitsCharged } = read;
  const missing = await kurs.rates.get("USD", "NONE");
  const slow = createClient({ url, apiKey, fetch: () => new Promise(() => undefined) });
  const late = await slow.rates.get("EUR", "USD", { timeoutMs: 20 });
  const aborted = await kurs.rates.get("EUR", "USD", { signal: AbortSignal.abort() });
  const nobody = createClient({ url: "http://127.0.0.1:9" });
  const lost = await nobody.rates.get("EUR", "USD");
  const session = await kurs.logIn(email, password);
  const account = kurs.account(session.data.session_token);
  const created = await account.keys.create("tour");
  const revoked = await account.keys.revoke(created.data.id);
  const usage = await account.usage();
  await account.logOut();
  const keys = await fetchKeys(url);
  const pair = { base: "EUR", quote: "USD" };
  return {
    dollars: times("1250.50", data.rate, { scale: 2, rounding: "half-even" }),
    units: [unitsCharged, joined.unitsCharged, missing.unitsCharged],
    codes: [missing, late, aborted, lost].map(({ error }) => error.code),
    revoked: revoked.response.status,
    used: usage.data.usage.used_units,
    isGenuine: (await verify(read, keys, pair)).isGenuine,
    forged: (await verify({ ...read, body: body.replace("1.1", "9.1") }, keys, pair)).reason,
  };
}
`;

const print = `
import { tour } from "./tour.js";
const { KURS: url, KEY: apiKey, EMAIL: email, PASSWORD: password } = process.env;
console.log(JSON.stringify(await tour({ url, apiKey, email, password })));
`;

/** Packs the client and installs it into an empty folder, with the tour beside it. */
export async function installClient(directory: string): Promise<void> {
  const client = join(ROOT, "client");
  const packing = ["pack", "--silent", "--pack-destination", directory];
  const { stdout } = await run("npm", packing, { cwd: client });
  const tarball = stdout.trim().split("\n").at(-1) ?? "";
  await writeFile(join(directory, "package.json"), '{"type":"module"}');
  const installing = ["install", "--offline", "--no-audit", "--no-fund", `./${tarball}`];
  await run("npm", installing, { cwd: directory });
  await writeFile(join(directory, "tour.js"), tour);
  await writeFile(join(directory, "print.js"), print);
}

/** An account for one tour. */
export async function newVisitor(service: TestService) {
  const { email, apiKey } = await service.newCustomer();
  return { url: service.url, apiKey, email, password: PASSWORD };
}

/** Asserts what a tour found, and that it was charged for its two reads only. */
export function assertTour(found: unknown): void {
  assert.deepEqual(found, {
    dollars: "1435.07",
    units: [1, 0, 1],
    codes: ["unsupported_pair", "client:timeout", "client:aborted", "client:network"],
    revoked: 204,
    used: 2,
    isGenuine: true,
    forged: "another body",
  });
}

/** Takes the tour in a program, which runs a file: Node.js, Bun or Deno. */
export async function tourIn(
  service: TestService,
  directory: string,
  [program = "", ...args]: readonly string[],
): Promise<void> {
  const { url, apiKey, email, password } = await newVisitor(service);
  const env = { ...process.env, KURS: url, KEY: apiKey, EMAIL: email, PASSWORD: password };
  const { stdout } = await run(program, [...args, "print.js"], { cwd: directory, env });
  assertTour(JSON.parse(stdout));
}
