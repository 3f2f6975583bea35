import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort } from "../../harness/postgres.ts";
import { type Client, clientOf } from "../support/client.ts";
import { scrape } from "../support/metrics.ts";
import { newPostgresDatabase } from "../support/postgres-databases.ts";
import { kurs, type Server, serve, temporaryDirectory } from "../support/process.ts";

// Runs two nodes behind each proxy with the configuration in deploy/: npm run proxies. Needs the
// Debian packages nginx, haproxy and caddy.

const DEPLOY = join(import.meta.dirname, "../../deploy");
const CLIENTS = 8;
const SECONDS = 3;
const LOGINS_PER_WINDOW = 3;

interface Proxy {
  readonly program: string;
  /** Writes its configuration. @returns the arguments and variables to start it with. */
  prepare(directory: string, port: number, nodes: readonly string[]): Prepared;
}

interface Prepared {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A file of deploy/ with other texts in place of some, each of which must occur. */
function deployed(file: string, replacements: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(DEPLOY, file), "utf8");
  for (const [from, to] of Object.entries(replacements)) {
    assert.ok(text.includes(from), `${file} has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

const proxies: Readonly<Record<string, Proxy>> = {
  nginx: {
    program: "nginx",
    prepare(directory, port, [one = "", two = ""]) {
      const site = deployed("nginx.conf", {
        "one.internal:8080": one,
        "two.internal:8080": two,
        "listen 80": `listen 127.0.0.1:${port}`,
      });
      const file = join(directory, "nginx.conf");
      const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((name) => `${name}_temp_path ${directory}/${name};`)
        .join(" ");
      writeFileSync(
        file,
        `pid ${directory}/pid; daemon off; error_log ${directory}/error.log;
        events {} http { access_log off; ${paths}\n${site} }`,
      );
      return { args: ["-c", file, "-e", join(directory, "error.log")] };
    },
  },
  haproxy: {
    program: "haproxy",
    prepare(directory, port, [one = "", two = ""]) {
      const file = join(directory, "haproxy.cfg");
      const replacements = {
        "one.internal:8080": one,
        "two.internal:8080": two,
        "bind :80": `bind 127.0.0.1:${port}`,
      };
      writeFileSync(file, deployed("haproxy.cfg", replacements));
      return { args: ["-f", file, "-db"] };
    },
  },
  caddy: {
    program: "caddy",
    prepare(directory, port, nodes) {
      const file = join(directory, "Caddyfile");
      writeFileSync(file, deployed("Caddyfile", {}));
      const env = {
        SITE: `http://127.0.0.1:${port}`,
        NODES: nodes.join(" "),
        CADDY_ADMIN: "off",
        HOME: directory,
      };
      return { args: ["run", "--config", file, "--adapter", "caddyfile"], env };
    },
  },
};

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true, default: Object.keys(proxies) } },
});
for (const name of values.only) {
  const proxy = proxies[name];
  if (proxy === undefined) throw new Error(`there is no ${name}`);
  if (spawnSync(proxy.program, ["-v"]).error !== undefined) {
    throw new Error(`this needs ${proxy.program}: apt-get install ${proxy.program}`);
  }
  await check(name, proxy);
}

async function check(name: string, proxy: Proxy): Promise<void> {
  await using database = await newPostgresDatabase();
  await using directory = await temporaryDirectory();
  const env = {
    DATABASE_URL: database.url,
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
  const port = await freePort();
  const hosts = nodes.map(({ url }) => new URL(url).host);
  const prepared = proxy.prepare(directory.path, port, hosts);
  await using running = startProxy(proxy.program, prepared);
  const url = `http://127.0.0.1:${port}`;
  await running.untilReady(`${url}/readyz`);

  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const client = clientOf(url, agent);
  await checkAddress(client, name);
  const customer = await client.newCustomer("reader@example.org");
  let expected = 0;

  const quiet = await readFor(client, customer.apiKey, SECONDS);
  assert.deepEqual(quiet.others, {}, `${name}: responses besides 200`);
  expected += quiet.succeeded;
  assert.equal(await customer.usedUnits(), expected);
  const paths = await pathsOf(nodes);

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
    `${name}: ${quiet.succeeded + stopped.succeeded} reads, each one unit; fast path ${paths}; ` +
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

/** The share of responses that the nodes' fast path has served. */
async function pathsOf(nodes: readonly Server[]): Promise<string> {
  const urls = nodes.map((node) =>
    String(node.logLines().find(({ msg }) => msg === "serving metrics")?.url),
  );
  const scrapes = await Promise.all(urls.map((metricsUrl) => scrape({ metricsUrl })));
  const total = (labels: Readonly<Record<string, string>>) =>
    scrapes.reduce((sum, one) => sum + one.total("kurs_http_requests_by_path_total", labels), 0);
  return `${total({ path: "fast_path" })} of ${total({})}`;
}

function startProxy(program: string, { args, env = {} }: Prepared) {
  const child: ChildProcess = spawn(program, args, {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaints = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-4000);
  });
  const ended = once(child, "exit");
  return {
    async untilReady(url: string): Promise<void> {
      for (let attempt = 0; attempt < 200; attempt += 1) {
        if (child.exitCode !== null) throw new Error(`${program} ended: ${complaints}`);
        const response = await fetch(url).catch(() => undefined);
        await response?.body?.cancel();
        if (response?.status === 200) return;
        await pause(100);
      }
      throw new Error(`${program} does not pass requests on: ${complaints}`);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
