import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { startServiceNow } from "../../test/support/service.ts";
import { type AgentClient, clients, type Run } from "./clients.ts";
import { startModel } from "./model.ts";

// Tries programs and libraries that speak MCP against a real server: `npm run trials -- agents`, or some of
// them: `npm run trials -- agents mcporter LangChain`. It installs them from npm into a temporary folder,
// 1.5 GB, or once into the folder that AGENTS_DIR names.

const RUN_MS_MAX = 90_000;

/** The newest rate of the snapshot: what a client must show. */
const RATE = "1.1476";

const wanted = process.argv.slice(2);
const tried = clients.filter(({ name }) => wanted.length === 0 || wanted.includes(name));

await using temporary = await mkdtempDisposable(join(tmpdir(), "kurs-agents-"));
const packages = process.env.AGENTS_DIR ?? temporary.path;
await using service = await startServiceNow();
await using model = await startModel();
service.query("INSERT INTO plans (name, units_per_period) VALUES ('none', 0)");

const customer = await service.newCustomer();
const spent = await service.newCustomer();
service.query("UPDATE accounts SET plan = 'none' WHERE email = ?", spent.email);

/** Runs a command in a folder. @returns what it printed, and how it ended if not well. */
async function outputOf({ command: [program = "", ...args], env }: Run, cwd: string) {
  const { PATH } = process.env;
  const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
  // A process group of its own: what a client starts ends with it.
  const child = spawn(program, args, { cwd, env: { PATH, ...env }, stdio, detached: true });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), RUN_MS_MAX);
  const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
  const [exitCode] = await once(child, "exit");
  clearTimeout(timer);
  const [stdout, stderr] = await outputs;
  return { exitCode, stdout, stderr };
}

/** npm finds its registry and its certificates by it. */
const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  ),
);

async function install({ name, packages: names }: AgentClient): Promise<string> {
  const directory = join(packages, name.replaceAll(/\W+/g, "-").toLowerCase());
  if (existsSync(join(directory, "node_modules"))) return directory;
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "package.json"), '{ "private": true, "type": "module" }');
  const command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", ...names];
  const { exitCode, stdout, stderr } = await outputOf({ command, env: environment }, directory);
  if (exitCode !== 0) throw new Error(`${name} cannot be installed from npm: ${stdout}${stderr}`);
  return directory;
}

/** One client, one key. @returns what its user reads. */
async function read(client: AgentClient, directory: string, apiKey: string): Promise<string> {
  await using home = await mkdtempDisposable(join(tmpdir(), "kurs-agent-home-"));
  const url = `${service.url}/v1/mcp`;
  const run = await client.prepare({
    directory,
    url,
    apiKey,
    home: home.path,
    modelUrl: model.url,
  });
  const { stdout, stderr } = await outputOf(run, directory);
  return `${stdout}\n${stderr}`;
}

const columns = ["client", "version", "tried", "a rate", "a bad key", "a used-up quota"];
console.log(`| ${columns.join(" | ")} |\n|${"---|".repeat(columns.length)}`);
for (const client of tried) {
  const directory = await install(client);
  const before = await service.usedUnits(customer.session);
  const good = await read(client, directory, customer.apiKey);
  const charged = (await service.usedUnits(customer.session)) - before;
  const isRead = good.includes(RATE) && charged === 1;
  const bad = await read(client, directory, `${customer.apiKey.slice(0, -4)}AAAA`);
  const used = await read(client, directory, spent.apiKey);
  const isFree = (await service.usedUnits(spent.session)) === 0;
  const isTold = used.includes("quota_exceeded") === (client.hidesFailures === undefined);
  if (!isRead || !isFree || !isTold) process.exitCode = 1;
  const version = client.packages[0]?.replace(/^.+@/, "");
  const result = isRead ? `${RATE}, one unit` : `FAILED, ${charged} units: ${shown(good)}`;
  const cells = [client.name, version, client.tried, result, shown(bad), shown(used)];
  console.log(`| ${cells.join(" | ")} |`);
}

/** What a user reads, short enough for a table. */
function shown(output: string): string {
  const line = stripVTControlCharacters(output).replaceAll(/\s+/g, " ").replaceAll("|", "/");
  return line.trim().slice(0, Number(process.env.SHOWN ?? 300));
}
