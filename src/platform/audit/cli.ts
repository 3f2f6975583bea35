import type { Command } from "commander";
import { sleep } from "../async/sleep.ts";
import { CommandError, type CommandIo, type OpenStore, unknownAccount } from "../cli/command.ts";
import { readMoment } from "../cli/dates.ts";
import { DAY_MS, HOUR_MS } from "../shared/clock.ts";
import { timestamp } from "../shared/instant.ts";
import { pagesOf } from "../shared/pages.ts";
import { normalizeEmail } from "../shared/text/email.ts";
import { quoted, visibleLine } from "../shared/text/visible-text.ts";
import { isUuid } from "../shared/uuid.ts";
import { listedEventJson } from "./json.ts";
import type { AuditStore, EventCursor, ListedEvent } from "./store.ts";

/** Where an email is turned into the id of its account. */
interface AccountsByEmail {
  findByEmail(email: string): Promise<{ readonly id: string } | undefined>;
}

export interface AuditCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{
    readonly audit: AuditStore;
    readonly accounts: AccountsByEmail;
  }>;
}

interface AuditOptions {
  readonly account?: string;
  readonly since?: string;
  readonly json?: boolean;
  readonly follow?: boolean;
}

/** How often `--follow` looks for new events. */
const FOLLOW_INTERVAL_MS = 1000;

/**
 * `--follow` reads the events of this time again: an event has its time before its transaction
 * ends, so one that appears later may be earlier.
 */
const FOLLOW_OVERLAP_MS = 30_000;

/** Adds `kurs audit`. */
export function auditCommands(program: Command, deps: AuditCommandDeps): void {
  program
    .command("audit")
    .description("show the audit log: who did what to accounts and the service, oldest first")
    .option("--account <email>", "only the events of this account; a deleted one by its id")
    .option("--since <time>", "an RFC 3339 time, a date (in UTC) or an age: 30m, 24h, 7d")
    .option("--json", "print one JSON object per line")
    .option("--follow", "then print new events until interrupted")
    .addHelpText("after", auditExamples)
    .action((options: AuditOptions) => showAudit(deps, options));
}

const auditExamples = `
Events are kept for AUDIT_DAYS. Reads of rates are not events.

Examples:
  $ kurs audit --since 24h
  $ kurs audit --account ada@example.org --json
  $ kurs audit --since 1h --follow`;

async function showAudit(deps: AuditCommandDeps, options: AuditOptions): Promise<void> {
  const { openStore, clock, print, printError } = deps;
  const since = options.since === undefined ? "" : sinceOf(options.since, clock.nowMs());
  await using store = await openStore();
  const { account } = options;
  const accountId = account === undefined ? undefined : await accountIdOf(store.accounts, account);
  const toLine = options.json ? jsonLine : textLine;
  /** The events that were printed last, by their ids. */
  const printed = new Map<string, string>();
  let hasPrinted = false;
  const printSince = async (at: string) => {
    for await (const page of eventsSince(store.audit, accountId, at)) {
      const unseen = page.filter(({ id }) => !printed.has(id));
      if (unseen.length > 0) print(unseen.map(toLine).join("\n"));
      hasPrinted ||= unseen.length > 0;
      for (const event of unseen) printed.set(event.id, event.at);
      forget(printed, timestamp(clock.nowMs() - 2 * FOLLOW_OVERLAP_MS));
    }
  };

  let readUntilMs = clock.nowMs();
  await printSince(since);
  if (!hasPrinted && !options.json) printError("There are no such events.");
  if (!options.follow) return;
  const { signal } = new AbortController();
  for (;;) {
    await sleep(FOLLOW_INTERVAL_MS, signal);
    const beginMs = clock.nowMs();
    await printSince(laterOf(since, timestamp(readUntilMs - FOLLOW_OVERLAP_MS)));
    readUntilMs = beginMs;
  }
}

const laterOf = (one: string, other: string): string => (one > other ? one : other);

function forget(printed: Map<string, string>, before: string): void {
  for (const [id, at] of printed) if (at < before) printed.delete(id);
}

const eventsSince = (audit: AuditStore, accountId: string | undefined, since: string) =>
  pagesOf<ListedEvent, EventCursor>(
    { at: since, id: "" },
    (after, limit) => audit.list({ accountId, after, limit }),
    (event) => event,
  );

const age = /^([1-9][0-9]{0,5})([mhd])$/;
const msOf: Record<string, number> = { m: 60_000, h: HOUR_MS, d: DAY_MS };

function sinceOf(text: string, nowMs: number): string {
  const [, count, unit = ""] = age.exec(text) ?? [];
  if (count !== undefined) return timestamp(Math.max(nowMs - Number(count) * (msOf[unit] ?? 0), 0));
  const time = readMoment(text, "start");
  if (time !== undefined) return timestamp(Date.parse(time));
  const wanted = "must be a time such as 2026-11-21T08:00:00Z, a date, or an age: 30m, 24h, 7d";
  throw new CommandError(`--since ${quoted(text)}: ${wanted}`, 2);
}

async function accountIdOf(accounts: AccountsByEmail, typed: string): Promise<string> {
  const email = normalizeEmail(typed);
  if (isUuid(email)) return email;
  const account = await accounts.findByEmail(email);
  if (account !== undefined) return account.id;
  throw unknownAccount(email);
}

const jsonLine = (event: ListedEvent) => JSON.stringify(listedEventJson(event));

const ACTION_CHARACTERS = 28;

/** `<time>  <action>  <account>  by <actor> from <origin>  name=value …` */
function textLine(event: ListedEvent): string {
  const { at, action, actor, actorName, origin, email, accountId, details } = event;
  const who = [actor, actorName, origin && `from ${origin}`].filter((part) => part).join(" ");
  const about = Object.entries(details).map(([name, value]) => `${name}=${value}`);
  const parts = [at, action.padEnd(ACTION_CHARACTERS), email ?? accountId ?? "-", `by ${who}`];
  return visibleLine([...parts, about.join(" ")].join("  ").trimEnd());
}
