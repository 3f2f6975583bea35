import { Draws } from "../../test/support/random.ts";

export type EngineName = "sqlite" | "postgres";

/** Accounts that read from the first round on, each with its own plan. */
export const READERS = 6;

/** A kill comes after between a tenth of these responses and all of them. */
const ANSWERS_MAX = 4000;

/** So many of the first readers have few units of their plan, and soon read from grants. */
export const GRANTED_READERS = 2;

/** When a started process is killed: before a statement, or after a part of the usual start time. */
export type Instant = { readonly statement: number } | { readonly part: number };

/** How a node ends in a round, and is started again. */
export interface NodeEnd {
  readonly node: number;
  /** Responses in the round, or since the previous node came back. */
  readonly afterAnswers: number;
  /** The time between SIGTERM and SIGKILL; unset: killed without SIGTERM. */
  readonly askedMsBefore: number | undefined;
  /** Starts that are killed before the final one. */
  readonly killedStarts: readonly Instant[];
}

export interface ImportPlan {
  readonly afterAnswers: number;
  /** Responses from its start to its kill; unset: it runs to its end. */
  readonly killedAfterAnswers: number | undefined;
  /** Whether nodes end only after it. */
  readonly isAwaited: boolean;
}

/** A command of the operator during the load. */
export interface CommandPlan {
  readonly afterAnswers: number;
  /** `quota`: sets a plan's units. `move`: moves an account to another plan. */
  readonly kind: "quota" | "move" | "grant";
  readonly customer: number;
  readonly plan: number;
  /** The units of a new quota above those sent so far. */
  readonly moreUnits: number;
  readonly killedAt: Instant | undefined;
}

/** A process that is killed while it creates a store. */
export interface EmptyStorePlan {
  readonly by: "serve" | "migrate" | "rates import";
  readonly killedAt: Instant;
}

/** What is drawn before a round. During the round, each worker draws its actions. */
export interface RoundPlan {
  readonly round: number;
  readonly ends: readonly NodeEnd[];
  /** Responses after the last node has come back. */
  readonly tailAnswers: number;
  /** Workers that do more than read. Without any, the nodes write only charges. */
  readonly actingWorkers: number;
  /** The only readers of the round, on all nodes until their quota is exceeded; unset: all. */
  readonly focus: readonly number[] | undefined;
  readonly rateImport: ImportPlan | undefined;
  readonly commands: readonly CommandPlan[];
  readonly emptyStore: EmptyStorePlan | undefined;
}

export interface PlanSettings {
  readonly seed: number;
  readonly engine: EngineName;
  readonly nodes: number;
}

/** Draws a round. It depends only on the seed and the round, so that each can be run alone. */
export function planRound(settings: PlanSettings, round: number): RoundPlan {
  const { seed, engine, nodes } = settings;
  const draws = new Draws([seed, round, "plan"]);
  const answers = () => draws.whole(Math.ceil(ANSWERS_MAX / 10), ANSWERS_MAX);
  const instant = (): Instant => {
    const part = { part: draws.whole(5, 110) / 100 };
    // PostgreSQL's statements are not the node's own: only the time remains.
    if (engine === "postgres" || draws.chance(0.4)) return part;
    // A start has some ten statements and, on an empty store, two per rate of the snapshot.
    return { statement: draws.whole(1, draws.chance(0.7) ? 15 : 600) };
  };
  const killedStarts = () => (draws.chance(0.35) ? [instant()] : []).concat(rarely());
  const rarely = () => (draws.chance(0.1) ? [instant()] : []);
  const end = (node: number): NodeEnd => ({
    node,
    afterAnswers: answers(),
    askedMsBefore: draws.chance(0.25) ? draws.whole(0, 25) : undefined,
    killedStarts: killedStarts(),
  });
  const victim = draws.whole(0, nodes - 1);
  const ends = [end(victim)];
  if (nodes > 1 && draws.chance(0.6)) ends.push(end((victim + draws.whole(1, nodes - 1)) % nodes));
  const command = (kind: CommandPlan["kind"]): CommandPlan => ({
    afterAnswers: draws.whole(1, ANSWERS_MAX),
    kind,
    customer: draws.whole(0, (kind === "grant" ? GRANTED_READERS : READERS) - 1),
    plan: draws.whole(0, READERS - 1),
    moreUnits: draws.chance(0.5) ? 1_000_000 : draws.whole(0, Math.ceil(ANSWERS_MAX / 20)),
    // During a load a start takes longer.
    killedAt: draws.chance(0.25) ? { part: draws.whole(30, 200) / 100 } : undefined,
  });
  const rateImport = (): ImportPlan => {
    const isKilled = draws.chance(0.5);
    return {
      afterAnswers: draws.whole(1, Math.ceil(ANSWERS_MAX / 4)),
      killedAfterAnswers: isKilled ? answers() : undefined,
      isAwaited: !isKilled && draws.chance(0.7),
    };
  };
  const rates = draws.chance(0.45) ? rateImport() : undefined;
  const commands = Array.from({ length: Number(draws.kind({ 0: 5, 1: 3, 2: 2 })) }, () =>
    command(draws.kind({ quota: 0.6, move: 0.4 })),
  );
  if (draws.chance(0.6)) commands.push(command("grant"));
  const [first] = commands;
  return {
    round,
    ends,
    tailAnswers: draws.whole(1, Math.ceil(ANSWERS_MAX / 5)),
    // A stale cached rate shows only while no other write clears the cache.
    actingWorkers: draws.chance(rates?.isAwaited ? 0.7 : 0.1) ? 0 : 3,
    focus: first !== undefined && draws.chance(0.5) ? [first.plan, first.customer] : undefined,
    rateImport: rates,
    commands,
    emptyStore: draws.chance(0.25)
      ? { by: draws.kind({ serve: 2, migrate: 1, "rates import": 1 }), killedAt: instant() }
      : undefined,
  };
}
