import type { MailServerCheck } from "../../../customers/mail/mailer.ts";
import type { MailRecord } from "../../../customers/mail/store.ts";
import { DAY_MS } from "../../../platform/shared/clock.ts";
import type { Instant } from "../../../platform/shared/instant.ts";
import { counted } from "../../../platform/shared/text/counted.ts";
import { IMPORT_SOURCE, isImport } from "../../../rates/served/rules/update-policy.ts";
import type { SourceStatus } from "../../../rates/sources/refresh.ts";
import { MISSED_MAX, missedPairsText } from "../../../rates/sources/rules/missed.ts";
import { type Finding, findingsOf } from "./finding.ts";
import type { RatesOfSource } from "./store.ts";

/** A publisher may stay closed for days that no calendar names, such as moved days off. */
const MISSED_AS_WARNING_MAX = 4;

const PAIRS_ADVICE =
  "If the publisher has ended them, take them out of service: kurs rates suspend BASE QUOTE.";

/** A source without a response is tried 6 times in the first hour and 24 times a day after that. */
const FAILURES_OF_A_DAY = 30;

/** Limits in days for rates without a calendar: a week; over a quarter, the rarest calendar. */
const AGED_DAYS = 7;
const STALE_DAYS = 100;

export function checkSources(states: readonly SourceStatus[], nowMs: number): Finding[] {
  const { ok, warning, problem } = findingsOf("sources");
  if (states.length === 0) return [ok("none is switched on (RATE_SOURCES is empty)")];
  const isFetched = ({ lastSuccessAt }: SourceStatus) => lastSuccessAt !== undefined;
  const unfetched = states.filter((state) => !isFetched(state));
  const found = states.filter(isFetched).flatMap((state) => {
    const { source, missedPublications, failures, lastError, missedPairs } = state;
    const times = failures === 1 ? "it failed once" : `it failed ${failures} times in a row`;
    const why = failures > 0 ? `; ${times}, the last time with: ${lastError}` : "";
    const atLeast = missedPublications < MISSED_MAX ? "" : "at least ";
    const publications = counted(missedPublications, "publication");
    const missed = `${source} has missed ${atLeast}${publications}${why}`;
    const advice = `Try kurs rates fetch ${source}.`;
    const level = (count: number) => (count > MISSED_AS_WARNING_MAX ? problem : warning);
    const pairs = `${missedPairsText(source, missedPairs)}. ${PAIRS_ADVICE}`;
    const ofPairs = missedPairs.count === 0 ? [] : [level(missedPairs.publications)(pairs)];
    if (missedPublications > 0)
      return [level(missedPublications)(`${missed}. ${advice}`), ...ofPairs];
    return failures > 0 ? [warning(`${source} is fresh${why}. ${advice}`), ...ofPairs] : ofPairs;
  });
  if (unfetched.length > 0) {
    const failures = Math.max(...unfetched.map((state) => state.failures));
    const finding = failures < FAILURES_OF_A_DAY ? warning : problem;
    found.unshift(finding(notFetched(unfetched, nowMs)));
  }
  return found.length > 0
    ? found
    : [ok(`${states.map(({ source }) => source).join(", ")} are fresh`)];
}

/** One sentence for all of them: on a machine without a network they have one cause. */
function notFetched(states: readonly SourceStatus[], nowMs: number): string {
  const names = states.map(({ source }) => source).join(", ");
  const newest = states
    .flatMap(({ newestAsOf }) => newestAsOf ?? [])
    .sort()
    .at(-1);
  const days = newest === undefined ? "" : counted(daysSince(newest, nowMs), "day");
  const age = newest === undefined ? "" : `; their newest rate is ${days} old`;
  const failed = states.find(({ failures }) => failures > 0);
  const why = failed === undefined ? "" : `; ${failed.source} failed with: ${failed.lastError}`;
  const advice = "A running server tries again by itself; to fetch now: kurs rates fetch.";
  return `not fetched yet: ${names}${age}${why}. ${advice}`;
}

/** Checks the rates that are not fetched: imported ones, and those of disabled sources. */
export function checkOtherRates(rates: readonly RatesOfSource[], nowMs: number): Finding[] {
  const { warning, problem } = findingsOf("rates");
  return rates.flatMap(({ source, pairs, newestAsOf }) => {
    const days = daysSince(newestAsOf, nowMs);
    if (days <= AGED_DAYS) return [];
    const imported = source === IMPORT_SOURCE ? "imported rates" : `imported rates of ${source}`;
    const of = isImport(source) ? imported : `rates of ${source} (not fetched)`;
    const advice = "Import newer ones, or add their source to RATE_SOURCES.";
    const text = `the newest of ${pairs} ${of} is ${counted(days, "day")} old. ${advice}`;
    return [(days > STALE_DAYS ? problem : warning)(text)];
  });
}

function daysSince(asOf: Instant, nowMs: number): number {
  return Math.floor((nowMs - Date.parse(asOf)) / DAY_MS);
}

export function checkMail(server: MailServerCheck, mails: readonly MailRecord[]): Finding[] {
  const { ok, warning, problem } = findingsOf("mail");
  const found: Finding[] = [];
  if (server.kind === "failed") {
    const advice = "Fix SMTP_URL or the mail server, then try kurs mail test ADDRESS.";
    found.push(problem(`${server.name} does not accept mail: ${server.reason}. ${advice}`));
  }
  const waiting = mails.filter(({ givenUpAt }) => givenUpAt === undefined);
  const failing = waiting.filter(({ lastError }) => lastError !== undefined);
  const givenUp = mails.length - waiting.length;
  if (failing.length > 0) {
    const error = failing.at(-1)?.lastError;
    const waits = failing.length === 1 ? "1 mail waits" : `${failing.length} mails wait`;
    found.push(warning(`${waits} after an error (${error}): see kurs mail list.`));
  }
  if (givenUp > 0) {
    const were = givenUp === 1 ? "1 mail was" : `${givenUp} mails were`;
    found.push(warning(`${were} given up: see kurs mail list.`));
  }
  if (found.length > 0) return found;
  const how = server.kind === "none" ? `mails are written to ${server.directory}` : server.name;
  return [ok(`${how}; ${waiting.length} wait`)];
}
