import assert from "node:assert/strict";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { startPostgres } from "../../harness/postgres.ts";
import { type ProxyProgram, proxies, requirePrograms, startProxy } from "../../harness/proxies.ts";
import { type Call, type Client, type Customer, clientOf } from "../../test/support/client.ts";
import { scrape } from "../../test/support/metrics.ts";
import { kurs, type Server, serve, temporaryDirectory } from "../../test/support/process.ts";
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
  const node = async () =>
    started.use(await serve({ dataDirectory: join(directory.path, "data"), env }));
  const nodes = [await node(), await node()] as const;
  const hosts = nodes.map(({ url }) => new URL(url).host);
  await using running = await startProxy(proxy, directory.path, hosts);

  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const client = clientOf(running.url, agent);
  await checkAddress(client, name);
  const customer = await client.newCustomer("reader@example.org");
  let expected = 0;

  const quiet = await readFor(client, customer.apiKey, SECONDS);
  assert.deepEqual(quiet.others, {}, `${name}: responses besides 200`);
  expected += quiet.succeeded;
  assert.equal(await customer.usedUnits(), expected);
  const share = await shareOfFastPath(nodes, client, customer);
  assert.ok(share > FAST_SHARE_MIN, `${name}: ${share} of the reads are on the fast path`);
  expected = await customer.usedUnits();
  expected += await readBesideBadClients(name, running.url, client, customer.apiKey);
  assert.equal(await customer.usedUnits(), expected);

  const [, stopped] = await Promise.all([
    pause(500).then(() => nodes[0].stop()),
    readFor(client, customer.apiKey, SECONDS + 5),
  ]);
  assert.deepEqual(stopped.others, {}, `${name}: responses besides 200 while a node stopped`);
  expected += stopped.succeeded;
  assert.equal(await customer.usedUnits(), expected);

  const third = await serve({
    dataDirectory: join(directory.path, "data"),
    env: { ...env, PORT: new URL(nodes[0].url).port },
  });
  started.use(third);
  await pause(3000);
  const [, killed] = await Promise.all([
    pause(500).then(() => nodes[1].kill()),
    readFor(client, customer.apiKey, SECONDS + 3),
  ]);
  const failed = Object.values(killed.others).reduce((sum, count) => sum + count, 0);
  const units = (await customer.usedUnits()) - expected;
  assert.ok(units >= killed.succeeded, `${name}: ${units} units for ${killed.succeeded} responses`);
  // nginx sends what a crashed node had charged to the other node (deploy/nginx.conf).
  const unitsMax = killed.succeeded + failed + (name === "nginx" ? CLIENTS : 0);
  assert.ok(units <= unitsMax, `${name}: ${units} units, a read charged twice`);
  agent.destroy();
  console.log(
    `${name}: ${quiet.succeeded + stopped.succeeded} reads, each one unit; ${share.toFixed(3)} on the fast path; ` +
      `a node stopped: 0 failed; a node killed: ${JSON.stringify(killed.others)} besides ` +
      `${killed.succeeded}, units ${units}`,
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
    const [read] = await Promise.all([
      readFor(client, apiKey, BAD_CLIENT_SECONDS),
      sendBadly(url, badClient, BAD_CLIENT_SECONDS),
    ]);
    succeeded += read.succeeded;
    if (!isDeepStrictEqual(read.others, {}))
      failures[what] = { 200: read.succeeded, ...read.others };
  }
  assert.deepEqual(failures, {}, `${name}: responses besides 200 to others than a bad client`);
  return succeeded;
}

/** Reads on several connections. @returns the count of 200s, and of everything else by kind. */
async function readFor(client: Client, apiKey: string, seconds: number) {
  const endMs = performance.now() + seconds * 1000;
  let succeeded = 0;
  const others: Record<string, number> = {};
  const readOn = async () => {
    while (performance.now() < endMs) {
      const kind = await client.readRate("EUR/USD", apiKey).then(
        ({ status, text }) => (status === 200 ? "200" : `${status} ${text}`.trimEnd()),
        (error: NodeJS.ErrnoException) => error.code ?? error.message,
      );
      if (kind === "200") succeeded += 1;
      else others[kind] = (others[kind] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, readOn));
  return { succeeded, others };
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
