import { join } from "node:path";
import { freePort } from "../../harness/postgres.ts";
import { proxies, requirePrograms, startProxy } from "../../harness/proxies.ts";
import { type LoadRequest, OTHER_EVERY, restRead, usageRequest } from "../load/requests.ts";
import type { Target } from "../round.ts";
import type { Bench, Report, Scenario } from "../scenario.ts";
import type { RunningServer } from "../servers.ts";
import { kursTarget, startFilledKurs } from "../stores/kurs.ts";
import { BARE, bareTarget } from "../yardsticks/targets.ts";

const json = { "content-type": "application/json" };

const mixed: LoadRequest = {
  ...restRead,
  others: [
    usageRequest,
    { method: "GET", path: "/healthz", headers: {} },
    { method: "GET", path: "/nowhere", headers: {} },
    { method: "POST", path: "/v1/auth/login", headers: json, body: '{"email":"nobody"}' },
  ],
};

export const proxied: Scenario = {
  name: "proxied",
  summary:
    "mixed traffic through nginx, HAProxy and Caddy, compared with bare node:http behind them",
  async run(bench) {
    requirePrograms(Object.values(proxies));
    const metricsPort = await freePort();
    const environment = { METRICS_PORT: String(metricsPort), TRUST_PROXY: "loopback" };
    const filled = await startFilledKurs(bench, "data", { environment });
    const bare = { ...(await bareTarget(bench)), request: mixed };
    const kurs = kursTarget("Kurs", filled, mixed);
    const reports: Report[] = [];
    for (const name of Object.keys(proxies)) {
      const targets = [await behind(bench, name, bare), await behind(bench, name, kurs)];
      const before = await served(metricsPort);
      const { tables, failures } = await bench.compare({ connections: [64], targets });
      const after = await served(metricsPort);
      const reads = (after.total - before.total) * (1 - 1 / OTHER_EVERY);
      const share = (after.fast - before.fast) / reads;
      const note = `${name}: ${share.toFixed(3)} of the reads on the fast path`;
      const noted = tables.map((table) => ({ ...table, notes: [...(table.notes ?? []), note] }));
      reports.push({ tables: noted, failures });
    }
    return {
      tables: reports.flatMap(({ tables }) => tables),
      failures: reports.flatMap(({ failures }) => failures),
    };
  },
};

/** A target behind a proxy. Its processor time and memory are the server's own. */
async function behind(bench: Bench, name: string, target: Target): Promise<Target> {
  const directory = join(bench.directory, `${name}-${target.name === BARE ? "bare" : "kurs"}`);
  const [server] = target.servers;
  const program = proxies[name];
  if (server === undefined || program === undefined) throw new Error(`${name}: nothing to start`);
  const { host } = new URL(server.url);
  const { url } = bench.cleanup.use(await startProxy(program, directory, [host]));
  const reached: RunningServer = { ...server, url };
  return { ...target, name: `${name}, ${target.name}`, servers: [reached] };
}

/** How many requests Kurs has served, and how many of them on the fast path. */
async function served(metricsPort: number) {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  const text = await response.text();
  const by = (path: string) =>
    Number(
      new RegExp(`^kurs_http_requests_by_path_total\\{path="${path}"\\} (\\d+)$`, "m").exec(
        text,
      )?.[1] ?? 0,
    );
  const fast = by("fast_path");
  return { fast, total: fast + by("node_http") };
}
