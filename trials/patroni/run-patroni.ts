import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { administer, freePort } from "../../harness/postgres.ts";
import { serve, temporaryDirectory } from "../../test/support/process.ts";
import { Reads } from "../support/reads.ts";

// Kills the primary of a Patroni cluster of three, again and again, while two nodes of Kurs charge
// reads on it: npm run trials -- patroni. Needs root and the Debian packages patroni, etcd-server and
// postgresql-15, whose own cluster may not run.

const DEPLOY = join(import.meta.dirname, "../../deploy");
const MEMBERS = 3;
const KILLS = 3;
const READY_MS_MAX = 300_000;
const PASSWORD = "sesame-42";

const { uid, gid } = userNamed("postgres");

interface Member {
  readonly name: string;
  readonly port: number;
  readonly apiPort: number;
  readonly directory: string;
  process: ChildProcess;
}

await using directory = await temporaryDirectory();
chownSync(directory.path, uid, gid);
const running = new Set<ChildProcess>();
const members: Member[] = [];
process.once("exit", endAll);
try {
  await check();
} finally {
  endAll();
}

function endAll(): void {
  for (const member of members) killMember(member);
  for (const { pid } of running) killAll(pid);
}

async function check(): Promise<void> {
  const etcdPort = await startEtcd();
  for (let index = 1; index <= MEMBERS; index += 1) {
    members.push(await startMember(`member-${index}`, etcdPort));
    await untilLeader(members);
  }
  await untilStandbys(members, MEMBERS - 1);
  const leader = await untilLeader(members);
  await administer(
    `postgres://postgres:${PASSWORD}@127.0.0.1:${leader.port}/postgres`,
    "CREATE DATABASE kurs",
  );
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join(",");
  const env = {
    DATABASE_URL: `postgres://postgres:${PASSWORD}@${hosts}/kurs`,
    PLAN_FREE_UNITS: "10000000",
  };
  const dataDirectory = join(directory.path, "kurs");
  await using one = await serve({ dataDirectory, env });
  await using two = await serve({ dataDirectory, env });
  const customer = await one.newCustomer();
  const readers = [one, two, one, two].map(
    (node) => () => node.readRate("EUR/USD", customer.apiKey),
  );

  await using reads = new Reads(readers);
  const seconds: number[] = [];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await pause(3000);
    const primary = await untilLeader(members);
    const failedBefore = reads.failed.total;
    const killedMs = performance.now();
    killMember(primary);
    await until("a failure", async () => reads.failed.total > failedBefore);
    // Those in flight may have been served by the primary.
    await reads.untilServed(readers.length + 1);
    seconds.push((performance.now() - killedMs) / 1000);
    Object.assign(primary, { process: startPatroni(primary) });
    await untilStandbys(members, MEMBERS - 1);
  }
  await reads.stop();
  const { served: acknowledged, failed } = reads;
  const units = await customer.usedUnits();
  console.log(
    `${KILLS} primaries killed: reads succeed again after ` +
      `${seconds.map((one) => one.toFixed(1)).join(", ")} s; ${acknowledged} acknowledged reads, ` +
      `others ${JSON.stringify(failed.all())}, ${units} units: ` +
      `${Math.max(0, acknowledged - units)} lost`,
  );
  assert.ok(units >= acknowledged, "acknowledged units are lost");
  // A rejected read may be charged when its commit broke.
  assert.ok(units <= acknowledged + failed.total, "a read was charged twice");
}

async function startEtcd(): Promise<number> {
  const [port, peerPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  start("etcd", [
    ...["--data-dir", join(directory.path, "etcd"), "--name", "one", "--log-level", "error"],
    ...["--listen-client-urls", url, "--advertise-client-urls", url],
    ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
    ...["--initial-cluster", `one=${peerUrl}`],
  ]);
  await until("etcd", async () => (await fetch(`${url}/health`)).ok);
  return port;
}

/** Starts a member with deploy/patroni.yml, in which only addresses and paths differ. */
async function startMember(name: string, etcdPort: number): Promise<Member> {
  const [port, apiPort] = [await freePort(), await freePort()];
  const place = join(directory.path, name);
  mkdirSync(place, { mode: 0o700 });
  chownSync(place, uid, gid);
  let text = readFileSync(join(DEPLOY, "patroni.yml"), "utf8");
  for (const [from, to] of [
    ["ADDRESS:8008", `127.0.0.1:${apiPort}`],
    ["ADDRESS:5432", `127.0.0.1:${port}`],
    ["name: NAME", `name: ${name}`],
    ["etcd-1.internal:2379,etcd-2.internal:2379,etcd-3.internal:2379", `127.0.0.1:${etcdPort}`],
    ["/var/lib/postgresql/kurs", join(place, "data")],
    ["SUPERUSER_PASSWORD", PASSWORD],
    ["REPLICATION_PASSWORD", PASSWORD],
  ] as const) {
    assert.ok(text.includes(from), `deploy/patroni.yml has no ${from}`);
    text = text.replaceAll(from, to);
  }
  text += `  parameters:\n    unix_socket_directories: ${place}\n`;
  writeFileSync(join(place, "patroni.yml"), text);
  const member = { name, port, apiPort, directory: place };
  return { ...member, process: startPatroni(member) };
}

function startPatroni({ directory: place }: Pick<Member, "directory">): ChildProcess {
  return start("patroni", [join(place, "patroni.yml")], { uid, gid });
}

/** Starts a program as the leader of a process group, so that its children can be killed with it. */
function start(
  program: string,
  args: readonly string[],
  user: { readonly uid?: number; readonly gid?: number } = {},
): ChildProcess {
  const child = spawn(program, args, {
    ...user,
    cwd: directory.path,
    detached: true,
    stdio: "ignore",
    env: { PATH: process.env.PATH ?? "", HOME: directory.path, ETCD_UNSUPPORTED_ARCH: "" },
  });
  child.once("error", (error) => console.error(`${program}: ${error.message}`));
  running.add(child);
  void once(child, "exit").then(() => running.delete(child));
  return child;
}

/** Ends a member at once, like a loss of power: Patroni and the PostgreSQL that it has detached. */
function killMember({ process: patroni, directory: place }: Member): void {
  killAll(patroni.pid);
  const file = join(place, "data/postmaster.pid");
  if (existsSync(file)) killAll(Number(readFileSync(file, "utf8").split("\n")[0]));
}

function killAll(pid: number | undefined): void {
  if (pid === undefined) return;
  for (const id of [pid, ...descendantsOf(pid)]) {
    try {
      process.kill(id, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

function descendantsOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(file)) return [];
  const children = readFileSync(file, "utf8").trim().split(" ").filter(Boolean).map(Number);
  return [...children, ...children.flatMap(descendantsOf)];
}

async function untilLeader(members: readonly Member[]): Promise<Member> {
  let leader: Member | undefined;
  await until("a leader", async () => {
    for (const member of members) {
      const response = await fetch(`http://127.0.0.1:${member.apiPort}/leader`).catch(
        () => undefined,
      );
      await response?.body?.cancel();
      if (response?.status === 200) leader = member;
    }
    return leader !== undefined;
  });
  return leader ?? assert.fail("there is no leader");
}

/** Waits until standbys stream, one of them synchronously. */
async function untilStandbys(members: readonly Member[], count: number): Promise<void> {
  await until("standbys", async () => {
    const leader = await untilLeader(members);
    const response = await fetch(`http://127.0.0.1:${leader.apiPort}/cluster`);
    const cluster = (await response.json()) as {
      readonly members: readonly { readonly role: string; readonly state: string }[];
    };
    const standbys = cluster.members.filter(
      ({ role, state }) => role !== "leader" && (state === "streaming" || state === "running"),
    );
    return standbys.length >= count && standbys.some(({ role }) => role === "sync_standby");
  });
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + READY_MS_MAX;
  while (performance.now() < deadlineMs) {
    if (await isTrue().catch(() => false)) return;
    await pause(100);
  }
  throw new Error(`no ${what} within ${READY_MS_MAX / 1000} s`);
}

function userNamed(name: string): { readonly uid: number; readonly gid: number } {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((one) => one.startsWith(`${name}:`));
  const [, , userId, groupId] = line?.split(":") ?? [];
  if (userId === undefined) throw new Error(`there is no user ${name}`);
  return { uid: Number(userId), gid: Number(groupId) };
}
