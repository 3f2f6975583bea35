import { openConnection } from "../../test/support/client.ts";
import { Counts } from "../support/counts.ts";
import { Ledger, openReader } from "../support/ledger.ts";
import { Findings } from "../support/ledger-audit.ts";
import { audit } from "./audit.ts";
import { actOn } from "./customer-worker.ts";
import { tortureEmptyStore } from "./empty-store.ts";
import { AnswerCount, Story, Violation } from "./event-log.ts";
import { Mailbox } from "./mailbox.ts";
import { type Node, Nodes } from "./nodes.ts";
import { importRates, planNamed, runCommand } from "./operator.ts";
import { GRANTED_READERS, type PlanSettings, planRound, READERS, type RoundPlan } from "./plan.ts";
import { read, readOn } from "./read-worker.ts";
import type { Way } from "./readings.ts";
import type { Round } from "./round.ts";
import { auditRestore } from "./statements.ts";
import { openStore } from "./stores.ts";

/** The workers that read, each with its path. */
const readPaths: readonly Way[] = [
  ...Array.from({ length: 8 }, (): Way => "fast path"),
  ...(["node:http", "node:http", "HEAD", "MCP 2025", "MCP 2025", "MCP 2026", "MCP 2026"] as const),
];

/** Accounts that read: those from the beginning, and the newest ones. */
const NEWEST_READERS = 6;

const PROBE = "probe@example.org";
const PROBE_PLAN = "probe";
const AMPLE_UNITS = 1_000_000_000;
const FEW_UNITS = 300;

export interface TortureOptions extends PlanSettings {
  /** The first round: each can be run alone. */
  readonly from: number;
  /** Whether another round follows, after this many. */
  readonly goesOn: (rounds: number) => boolean;
  readonly onRound: (line: string) => void;
}

export interface TortureFailure {
  readonly round: number;
  readonly complaints: readonly string[];
  readonly plan: RoundPlan;
  /** The events about the accounts in the complaints, and the last events. */
  readonly story: readonly string[];
}

export type Figures = Awaited<ReturnType<typeof torture>>;

/** Runs rounds until they suffice or something is wrong. */
export async function torture(options: TortureOptions) {
  await using store = await openStore(options.engine);
  const [counts, ledger, mailbox] = [new Counts(), new Ledger(), new Mailbox(store.dataDirectory)];
  let current: Round | undefined;
  await using nodes = new Nodes(store, options.nodes, (node) => readFirst(node, current));
  const shared = { settings: options, store, nodes, counts, ledger, mailbox };
  await prepare(shared);
  let [rounds, lost] = [0, 0];
  let failure: TortureFailure | undefined;
  while (failure === undefined && options.goesOn(rounds)) {
    const plan = planRound(options, options.from + rounds);
    const own = { plan, story: new Story(), answers: new AnswerCount(), isOn: true };
    const round: Round = { ...shared, ...own };
    current = round;
    const found = await play(round, options.onRound);
    rounds += 1;
    lost += found.lost;
    const story = () => own.story.about(found.complaints.join("\n"));
    const { complaints } = found;
    if (complaints.length > 0) failure = { round: plan.round, complaints, plan, story: story() };
  }
  // PostgreSQL has tools of its own.
  if (failure === undefined && current !== undefined && options.engine === "sqlite") {
    const { complaints } = await auditRestore(current);
    const { plan, story } = current;
    if (complaints.length > 0)
      failure = { round: plan.round, complaints, plan, story: story.about("") };
  }
  const sorted = nodes.recoveriesMs.toSorted((left, right) => left - right);
  return {
    rounds,
    kills: nodes.kills,
    requests: counts.of("requests"),
    answers: counts.of("answers"),
    chargedAnswers: counts.of("charged answers"),
    inDoubt: counts.of("reads in doubt"),
    recoverySecondsMax: (sorted.at(-1) ?? 0) / 1000,
    recoverySecondsMedian: (sorted[Math.floor(sorted.length / 2)] ?? 0) / 1000,
    starts: sorted.length,
    /** Acknowledged changes and charged reads that are missing in the store. */
    lost,
    done: counts.all(["requests", "answers", "charged answers", "reads in doubt"]),
    failure,
  };
}

/** Starts the nodes and opens the accounts of the beginning. */
async function prepare(shared: Pick<Round, "settings" | "store" | "nodes" | "ledger">) {
  const { settings, store, nodes, ledger } = shared;
  const { server } = await nodes.start(0);
  const open = (email: string, plan: string, quotaUnits: number) =>
    openReader(ledger, server, { email, plan, quotaUnits }, store.query);
  for (let index = 0; index < READERS; index += 1) {
    const quotaUnits = index < GRANTED_READERS ? FEW_UNITS : AMPLE_UNITS;
    ledger.readers.push(await open(`reader-${index}@example.org`, planNamed(index), quotaUnits));
  }
  await open(PROBE, PROBE_PLAN, AMPLE_UNITS);
  for (let index = 1; index < settings.nodes; index += 1) await nodes.start(index);
  nodes.recoveriesMs.length = 0;
}

/** @returns what is wrong after a round. */
async function play(round: Round, onRound: TortureOptions["onRound"]): Promise<Findings> {
  const { plan, nodes, counts, ledger } = round;
  const [killsBefore, answersBefore] = [nodes.kills, counts.of("answers")];
  const startsBefore = nodes.recoveriesMs.length;
  try {
    await load(round);
    const findings = await audit(round);
    if (findings.complaints.length > 0) return findings;
    if (plan.emptyStore !== undefined) await tortureEmptyStore(round, plan.emptyStore);
  } catch (error) {
    const failed = new Findings();
    failed.complain(error instanceof Violation ? error.message : String(error));
    return failed;
  }
  const { readers } = ledger;
  const newest = readers.slice(READERS).slice(-NEWEST_READERS);
  ledger.readers = [...readers.slice(0, READERS), ...newest];
  const kills = nodes.kills - killsBefore;
  const answers = counts.of("answers") - answersBefore;
  const back = nodes.recoveriesMs.slice(startsBefore).map((recoveryMs) => Math.round(recoveryMs));
  const summary = `${kills} kills, ${answers} responses, back after ${back.join(", ")} ms`;
  onRound(`round ${plan.round}: ${summary}`);
  return new Findings();
}

/** Reads with an account of unlimited quota until a read gets a 200. */
async function readFirst(node: Node, round: Round | undefined): Promise<void> {
  const key = round?.ledger.accounts.get(PROBE)?.keys[0];
  if (key === undefined || round === undefined) return;
  const request = { base: "EUR", quote: "USD", isImported: false, converts: false };
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const answered = round.counts.of("charged answers");
    using connection = openConnection(node.server.url);
    await read(round, { node, connection, key, way: "fast path", request });
    if (round.counts.of("charged answers") > answered) return;
  }
  throw new Violation(`node ${node.index} has started, and reads get no 200`);
}

/** The load of a round with all events during it. Afterwards all nodes are up. */
async function load(round: Round): Promise<void> {
  const { plan, answers } = round;
  const stop = () => {
    round.isOn = false;
    answers.end();
  };
  const guarded = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      stop();
      throw error;
    });
  const workers = [
    ...readPaths.map((way, index) => guarded(readOn(round, index, way))),
    ...Array.from({ length: plan.actingWorkers }, (_, index) => guarded(actOn(round, index))),
  ];
  const imported = guarded(importInBackground(round));
  const background = [guarded(operate(round)), imported];
  const mayEnd = plan.rateImport?.isAwaited ? imported : Promise.resolve();
  const ending = guarded(mayEnd.then(() => endNodes(round))).finally(stop);
  const settleBackground = () => Promise.allSettled(background);
  await allOf([ending, ...workers], settleBackground);
  await allOf([bringBack(round)], settleBackground);
  await allOf(background);
}

/** With a single node the load has ended with it; an import may still run. */
async function bringBack({ plan, nodes, story }: Round): Promise<void> {
  for (const { node, killedStarts } of plan.ends) {
    if (nodes.all().some(({ index }) => index === node)) continue;
    await nodes.start(node, { killedStarts, story });
  }
}

/** Waits for all, so that nothing continues after a failure. @throws the first one's reason. */
async function allOf(
  works: readonly Promise<void>[],
  onFailure: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const settled = await Promise.allSettled(works);
  const failed = settled.find(({ status }) => status === "rejected");
  if (failed?.status !== "rejected") return;
  await onFailure();
  throw failed.reason;
}

async function endNodes({ plan, nodes, answers, story, settings }: Round): Promise<void> {
  for (const end of plan.ends) {
    await answers.reached(answers.total + end.afterAnswers);
    await nodes.end(end, story);
    if (settings.nodes === 1) return;
    await nodes.start(end.node, { killedStarts: end.killedStarts, story });
  }
  await answers.reached(answers.total + plan.tailAnswers);
}

async function operate(round: Round): Promise<void> {
  const { plan, answers } = round;
  for (const command of plan.commands) {
    await answers.reached(command.afterAnswers);
    await runCommand(round, command);
  }
}

async function importInBackground(round: Round): Promise<void> {
  const { plan, answers } = round;
  if (plan.rateImport === undefined) return;
  await answers.reached(plan.rateImport.afterAnswers);
  await importRates(round, plan.rateImport);
}
