import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../harness/postgres.ts";
import { looks, startBrowser, Visitor } from "../../test/support/browser.ts";
import { clientOf } from "../../test/support/client.ts";
import { residentMib } from "../../test/support/resources.ts";

/** Longer than any start on a busy machine takes, one that installs from a registry included. */
const READY_MS_MAX = 400_000;
const STOP_MS_MAX = 10_000;

/** How an artefact is started: a program with arguments. */
export interface Start {
  readonly command: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether the server is a child of what is started, as with npm and npx. */
  readonly isWrapped?: boolean;
  /** A command that must succeed while it serves. */
  readonly checkHealth?: readonly string[];
}

/** What an operator sees of an artefact: times in seconds, memory in MiB. */
export interface Seen {
  /** From the first start, which creates the database. */
  readonly firstSeconds: number;
  readonly readySeconds: number;
  readonly residentMib: number;
  readonly stopSeconds: number;
}

/**
 * Starts an artefact in an empty place, walks from an account to the first rate, opens the console
 * in a browser, stops it, starts it again and finds the account with its unit.
 *
 * @param startOf how to start it on a port of this machine.
 */
export async function walk(startOf: (port: number) => Start): Promise<Seen> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = startOf(port);
  const email = "ada@example.org";
  const first = await run(start, url, async (residentMib) => {
    const client = clientOf(url);
    const customer = await client.newCustomer(email);
    const { status, body } = await customer.read("EUR/USD");
    assert.equal(status, 200);
    assert.equal(body.type, "direct");
    assert.equal(await customer.usedUnits(), 1);
    await visitConsole(url);
    return residentMib();
  });
  const next = await run(start, url, async () => {
    const client = clientOf(url);
    assert.equal(await client.usedUnits(await client.logIn(email)), 1);
    return undefined;
  });
  return {
    firstSeconds: first.readySeconds,
    // The second start is what an operator waits for: the first creates the database.
    readySeconds: next.readySeconds,
    residentMib: first.result ?? 0,
    stopSeconds: Math.max(first.stopSeconds, next.stopSeconds),
  };
}

async function run<Result>(
  start: Start,
  url: string,
  use: (residentMib: () => number) => Promise<Result>,
) {
  const [program = "", ...args] = start.command;
  const startedMs = performance.now();
  const child = spawn(program, args, {
    cwd: start.cwd,
    env: start.env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    await untilReady(child, `${url}/readyz`);
    const readySeconds = (performance.now() - startedMs) / 1000;
    const pid = start.isWrapped ? lastChildOf(child.pid ?? 0) : (child.pid ?? 0);
    const [health, ...healthArgs] = start.checkHealth ?? [];
    if (health !== undefined) execFileSync(health, healthArgs, { stdio: "inherit" });
    const result = await use(() => Math.round(residentMib(pid)));
    const stoppedMs = performance.now();
    process.kill(pid, "SIGTERM");
    const code = await endOf(child);
    const stopSeconds = (performance.now() - stoppedMs) / 1000;
    assert.equal(code, 0, "it did not stop with exit code 0");
    assert.ok(stopSeconds * 1000 < STOP_MS_MAX, `it stopped after ${stopSeconds} s`);
    return { readySeconds, stopSeconds, result };
  } finally {
    child.kill("SIGKILL");
  }
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + READY_MS_MAX;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const response = await fetch(url).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.status === 200) return;
    await pause(10);
  }
  throw new Error(`${url} was not ready`);
}

/** The process at the end of a chain of wrappers: the server itself. */
function lastChildOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children === "" ? pid : lastChildOf(Number(children.split(" ").at(-1)));
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) resolve(child.exitCode);
    else child.once("exit", resolve);
  });
}

/** Opens the console, the API reference and the guide in a browser: each shows its heading. */
async function visitConsole(url: string): Promise<void> {
  await using browser = await startBrowser();
  const look = looks[0] ?? assert.fail("there is no size of a window");
  await using visitor = await Visitor.come(url, look, { browser });
  for (const path of ["/", "/docs", "/guide/"]) {
    await visitor.page.goto(path);
    await visitor.page.getByRole("heading", { level: 1 }).first().waitFor();
  }
}
