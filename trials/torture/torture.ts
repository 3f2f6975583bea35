import { openConnection } from "../../test/support/client.ts";
import { Counts } from "../support/counts.ts";
import { Ledger, openReader } from "../support/ledger.ts";
import { audit } from "./audit.ts";
import { actOn } from "./customer-worker.ts";
import { tortureEmptyStore } from "./empty-store.ts";
import { AnswerCount, Story, Violation } from "./event-log.ts";
import { Mailbox } from "./mailbox.ts";
import { type Node, Nodes } from "./nodes.ts";
import { importRates, planNamed, runCommand } from "./operator.ts";
import { type PlanSettings, planRound, type RoundPlan } from "./plan.ts";
import { read, readOn } from "./read-worker.ts";
import type { Way } from "./readings.ts";
import type { Round } from "./round.ts";
import { openStore, type TorturedStore } from "./stores.ts";

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

export interface TortureOptions extends PlanSettings {
  /** The first round: each can be run alone. */
  readonly from: number;
  /** Whether another round follows, after this many. */
  readonly goesOn: (rounds: number) => boolean;
  readonly onRound: (line: string) => void;
}

export interface Figures {
  readonly rounds: number;
  readonly kills: number;
  readonly requests: number;
  readonly answers: number;
  readonly chargedAnswers: number;
  readonly inDoubt: number;
  readonly recoverySecondsMax: number;
  readonly recoverySecondsMedian: number;
  readonly starts: number;
  /** Acknowledged changes and charged reads that are missing in the store. */
  readonly lost: number;
  readonly done: Readonly<Record<string, number>>;
  readonly failure: TortureFailure | undefined;
}

export interface TortureFailure {
  readonly round: number;
  readonly complaints: readonly string[];
  readonly plan: RoundPlan;
  /** The events about the accounts in the complaints, and the last events. */
  readonly story: readonly string[];
}

/** Runs rounds until they suffice or something is wrong. */
export async function torture(options: TortureOptions): Promise<Figures> {
  await using store = await openStore(options.engine);
  const run = new Torture(options, store);
  await using nodes = run.nodes;
  await run.prepare();
  let rounds = 0;
  let failure: TortureFailure | undefined;
  let lost = 0;
  while (failure === undefined && options.goesOn(rounds)) {
    const round = run.newRound(planRound(options, options.from + rounds));
    const complaints = await run.play(round);
    rounds += 1;
    lost += complaints.lost;
    if (complaints.texts.length > 0) failure = toFailure(round, complaints.texts);
  }
  const { counts } = run;
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
    lost,
    done: counts.all(["requests", "answers", "charged answers", "reads in doubt"]),
    failure,
  };
}

function toFailure({ plan, story }: Round, complaints: readonly string[]): TortureFailure {
  const named = complaints.join("\n");
  return { round: plan.round, complaints, plan, story: story.about(named) };
}

class Torture {
  readonly counts = new Counts();
  readonly nodes: Nodes;
  readonly #options: TortureOptions;
  readonly #store: TorturedStore;
  readonly #ledger = new Ledger();
  readonly #mailbox: Mailbox;
  #round: Round | undefined;

  constructor(options: TortureOptions, store: TorturedStore) {
    this.#options = options;
    this.#store = store;
    this.#mailbox = new Mailbox(store.dataDirectory);
    this.nodes = new Nodes(store, options.nodes, (node) => this.#readFirst(node));
  }

  newRound(plan: RoundPlan): Round {
    const { nodes, counts } = this;
    const shared = { store: this.#store, ledger: this.#ledger, mailbox: this.#mailbox };
    const own = { plan, story: new Story(), answers: new AnswerCount(), isOn: true };
    const round: Round = { settings: this.#options, nodes, counts, ...shared, ...own };
    this.#round = round;
    return round;
  }

  /** Starts the nodes and opens the accounts of the beginning. */
  async prepare(): Promise<void> {
    const { server } = await this.nodes.start(0);
    const open = (email: string, plan: string) =>
      openReader(this.#ledger, server, { email, plan, quotaUnits: AMPLE_UNITS }, this.#store.query);
    for (let index = 0; index < this.#options.readers; index += 1) {
      this.#ledger.readers.push(await open(`reader-${index}@example.org`, planNamed(index)));
    }
    await open(PROBE, PROBE_PLAN);
    for (let index = 1; index < this.#options.nodes; index += 1) await this.nodes.start(index);
    this.nodes.recoveriesMs.length = 0;
  }

  /** @returns what is wrong after it. */
  async play(round: Round): Promise<{ texts: readonly string[]; lost: number }> {
    const { plan } = round;
    const { recoveriesMs } = this.nodes;
    const before = {
      kills: this.nodes.kills,
      answers: this.counts.of("answers"),
      starts: recoveriesMs.length,
    };
    try {
      await load(round);
      const { complaints, lost } = await audit(round);
      if (complaints.length > 0) return { texts: complaints, lost };
      if (plan.emptyStore !== undefined) await tortureEmptyStore(round, plan.emptyStore);
    } catch (error) {
      const texts = error instanceof Violation ? [error.message] : [String(error)];
      return { texts, lost: 0 };
    }
    this.#forgetReaders();
    const kills = this.nodes.kills - before.kills;
    const answers = this.counts.of("answers") - before.answers;
    const back = recoveriesMs.slice(before.starts).map((milliseconds) => Math.round(milliseconds));
    const summary = `${kills} kills, ${answers} responses, back after ${back.join(", ")} ms`;
    this.#options.onRound(`round ${plan.round}: ${summary}`);
    return { texts: [], lost: 0 };
  }

  /** Reads with an account of unlimited quota until a read gets a 200. */
  async #readFirst(node: Node): Promise<void> {
    const key = this.#ledger.accounts.get(PROBE)?.keys[0];
    const round = this.#round;
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

  #forgetReaders(): void {
    const { readers } = this.#options;
    const all = this.#ledger.readers;
    this.#ledger.readers = [...all.slice(0, readers), ...all.slice(readers).slice(-NEWEST_READERS)];
  }
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
