import assert from "node:assert/strict";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startPostgres } from "../../harness/postgres.ts";
import { type ProxyProgram, proxies, requirePrograms, startProxy } from "../../harness/proxies.ts";
import { type Call, type Client, type Customer, clientOf } from "../../test/support/client.ts";
import { scrape } from "../../test/support/metrics.ts";
import { kurs, type Server, serve, temporaryDirectory } from "../../test/support/process.ts";
import { Reads } from "../support/reads.ts";
import { badClients, sendBadly } from "./bad-clients.ts";

// Runs two nodes behind each proxy with the configuration in deploy/: npm run trials -- proxies. Needs the
// Debian packages nginx, haproxy and caddy.

const CLIENTS = 8;
const SECONDS = 3;
const BAD_CLIENT_SECONDS = 1;
const LOGINS_PER_WINDOW = 3;

/** With every 20th request another one. */
const FAST_SHARE_MIN = 0.9;

/** What comes between the reads: with their method, path and how. */
const others: readonly (readonly [method: string, path: string, how?: Call])[] = [
  ["HEAD", "/v1/rates/EUR/USD?a=b"],
  ["GET", "/healthz"],
  ["GET", "/v1/account/usage"],
  ["GET", "/nowhere"],
  ["POST", "/v1/auth/login", { json: { email: "nobody", password: "" } }],
  ["POST", "/v1/auth/login", { raw: "{" }],
  ["OPTIONS", "/v1/rates/EUR/USD", { headers: { origin: "https://page.example" } }],
  ["GET", "/v1/rates/EUR/%45UR"],
];

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true, default: Object.keys(proxies) } },
});
for (const name of values.only) {
  const proxy = proxies[name];
  if (proxy === undefined) throw new Error(`there is no ${name}`);
  requirePrograms([proxy]);
  await check(name, proxy);
}

async function check(name: string, proxy: ProxyProgram): Promise<void> {
  await using database = await startPostgres({});
  await using directory = await temporaryDirectory();
  const env = {
    DATABASE_URL: database.url(),
    TRUST_PROXY: "loopback",
    AUTH_LIMIT: String(LOGINS_PER_WINDOW),
    PLAN_FREE_UNITS: "10000000",
    SHUTDOWN_DELAY_SECONDS: "5",
    METRICS_PORT: "0",
  };
  assert.equal((await kurs(["migrate"], { env })).exitCode, 0);
  await using started = new AsyncDisposableStack();
  const dataDirectory = join(directory.path, "data");
  const node = async (port = "0") =>
    started.use(await serve({ dataDirectory, env: { ...env, PORT: port } }));
  const nodes = [await node(), await node()] as const;
  const hosts = nodes.map(({ url }) => new URL(url).host);
  await using running = await startProxy(proxy, directory.path, hosts);

  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const client = clientOf(running.url, agent);
  await checkAddress(client, name);
  const customer = await client.newCustomer("reader@example.org");
  let expected = 0;

  const quiet = await readDuring(client, customer.apiKey, () => pause(SECONDS * 1000));
  assert.deepEqual(quiet.failed.all(), {}, `${name}: responses besides 200`);
  expected += quiet.served;
  assert.equal(await customer.usedUnits(), expected);
  const share = await shareOfFastPath(nodes, client, customer);
  assert.ok(share > FAST_SHARE_MIN, `${name}: ${share} of the reads are on the fast path`);
  expected = await customer.usedUnits();
  expected += await readBesideBadClients(name, running.url, client, customer.apiKey);
  assert.equal(await customer.usedUnits(), expected);

  // A node that has ended is replaced, and has its share of the reads before the other one ends.
  const restarted = await readDuring(client, customer.apiKey, async () => {
    await pause(500);
    await nodes[0].stop();
    await node(new URL(nodes[0].url).port);
    await pause(SECONDS * 1000);
  });
  assert.deepEqual(restarted.failed.all(), {}, `${name}: responses besides 200 during a restart`);
  expected += restarted.served;
  assert.equal(await customer.usedUnits(), expected);

  const killed = await readDuring(client, customer.apiKey, async () => {
    await pause(500);
    await nodes[1].kill();
    await pause(2 * SECONDS * 1000);
  });
  const units = (await customer.usedUnits()) - expected;
  assert.ok(units >= killed.served, `${name}: ${units} units for ${killed.served} responses`);
  // nginx sends what a crashed node had charged to the other node (deploy/nginx.conf).
  const unitsMax = killed.served + killed.failed.total + (name === "nginx" ? CLIENTS : 0);
  assert.ok(units <= unitsMax, `${name}: ${units} units, a read charged twice`);
  agent.destroy();
  console.log(
    `${name}: ${quiet.served + restarted.served} reads, each one unit; ${share.toFixed(3)} on the fast path; ` +
      `a node restarted: 0 failed; a node killed: ${JSON.stringify(killed.failed.all())} besides ` +
      `${killed.served}, units ${units}`,
  );
}

/** An address that a client invents does not get it further log-ins. */
async function checkAddress(client: Client, name: string): Promise<void> {
  const statuses: number[] = [];
  for (let attempt = 0; attempt <= LOGINS_PER_WINDOW; attempt += 1) {
    const { status } = await client.post("/v1/auth/login", {
      json: { email: "nobody@example.org", password: "correct horse battery" },
      headers: { "x-forwarded-for": `198.51.100.${attempt}` },
    });
    statuses.push(status);
  }
  const expected = [...Array.from({ length: LOGINS_PER_WINDOW }, () => 401), 429];
  assert.deepEqual(statuses, expected, `${name}: the limit counts what a client invented`);
}

/** Reads while other clients send what is malformed. @returns the count of 200s. */
async function readBesideBadClients(name: string, url: string, client: Client, apiKey: string) {
  let succeeded = 0;
  const failures: Record<string, object> = {};
  for (const [what, badClient] of Object.entries(badClients)) {
    const reads = await readDuring(client, apiKey, () =>
      sendBadly(url, badClient, BAD_CLIENT_SECONDS),
    );
    succeeded += reads.served;
    if (reads.failed.total > 0) failures[what] = { 200: reads.served, ...reads.failed.all() };
  }
  assert.deepEqual(failures, {}, `${name}: responses besides 200 to others than a bad client`);
  return succeeded;
}

/** Reads on several connections until some work is done. */
async function readDuring(client: Client, apiKey: string, work: () => Promise<unknown>) {
  const read = () => client.readRate("EUR/USD", apiKey);
  await using reads = new Reads(Array.from({ length: CLIENTS }, () => read));
  await work();
  await reads.stop();
  return reads;
}

/**
 * Sends reads of which every 20th is another request.
 *
 * @returns the share of the reads that the nodes' fast path has served.
 */
async function shareOfFastPath(
  nodes: readonly Server[],
  client: Client,
  { apiKey, session }: Customer,
): Promise<number> {
  const before = await servedFast(nodes);
  let [reads, turns] = [0, 0];
  const endMs = performance.now() + SECONDS * 1000;
  const send = async () => {
    while (performance.now() < endMs) {
      turns += 1;
      const other = turns % 20 === 0 ? others[(turns / 20) % others.length] : undefined;
      if (other !== undefined) {
        const [method, path, how] = other;
        await client.call(method, path, path.endsWith("usage") ? { session } : how);
        continue;
      }
      reads += 1;
      assert.equal((await client.readRate("EUR/USD", apiKey)).status, 200);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, send));
  return ((await servedFast(nodes)) - before) / reads;
}

/** How many requests the nodes' fast path has served. */
async function servedFast(nodes: readonly Server[]): Promise<number> {
  const urls = nodes.map((node) =>
    String(node.logLines().find(({ msg }) => msg === "serving metrics")?.url),
  );
  const scrapes = await Promise.all(urls.map((metricsUrl) => scrape({ metricsUrl })));
  return scrapes.reduce(
    (sum, one) => sum + one.total("kurs_http_requests_by_path_total", { path: "fast_path" }),
    0,
  );
}
