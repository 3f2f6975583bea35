import "./tab.ts";
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { type ComponentChildren, isValidElement, type VNode } from "preact";
import { ApiError } from "../../../console/src/api/request.ts";
import { isLate } from "../../../console/src/coverage.ts";
import { pairNameOf } from "../../../console/src/doubtful-pair.ts";
import { originOf, wordsOf } from "../../../console/src/event-words.ts";
import { forecastOf } from "../../../console/src/forecast.ts";
import * as format from "../../../console/src/format.ts";
import { endOfGrant, leftOfPlan, splitGrants } from "../../../console/src/grants.ts";
import { completeKey } from "../../../console/src/key-in-hand.ts";
import { lastUseOf } from "../../../console/src/key-labels.ts";
import { errorsOf, limitsIn, linesOf, textsOf } from "../../../console/src/key-limits.ts";
import { majorsFirst } from "../../../console/src/majors.ts";
import { outcomeOf } from "../../../console/src/outcome.ts";
import { evenShareOf, levelOf, warningOf } from "../../../console/src/quota.ts";
import { readWayBack } from "../../../console/src/router.ts";
import { findPairs, matching } from "../../../console/src/search.ts";
import { noteOn } from "../../../console/src/service-note.ts";
import {
  archiveOf,
  datesOf,
  fetchedOf,
  stateOf,
  unreachedSince,
} from "../../../console/src/source-words.ts";
import { describeThreshold, errorOfThreshold } from "../../../console/src/thresholds.ts";
import { tab } from "./tab.ts";

// What the pages make of what the service sends and a visitor types: functions, in one table.

const NOW = "2026-11-21T12:00:00.000Z";
mock.timers.enable({ apis: ["Date"], now: Date.parse(NOW) });
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000] as const;
const ago = (ms: number) => new Date(Date.parse(NOW) - ms).toISOString();
const [OLD, OLDER] = [ago(2 * DAY), ago(3 * DAY)];

/** The text of what a function shows. */
function textOf(shown: ComponentChildren): string {
  if (Array.isArray(shown)) return shown.map(textOf).join("");
  if (isValidElement(shown)) return textOf((shown as VNode<{ children: string }>).props.children);
  return String(shown ?? "");
}

type Actor = Parameters<typeof originOf>[0]["actor"];
const eventOf =
  (actor: Actor) =>
  (action: string, details = {}) =>
    textOf(wordsOf({ id: "1", at: NOW, actor, action, details }, new Map([["1", "bill"]])));
const [own, others] = [eventOf("account"), eventOf("operator")];
const from = (actor: Actor) =>
  originOf({ id: "1", at: NOW, actor, action: "", details: {}, address: "192.0.2.1" });
const KEY = { key_prefix: "svc_1a" };
const NAMED_KEY = { ...KEY, api_key_id: "1" };
const GRANT = { units: 5000, reference: "invoice 4711" };
const [LEAK, INVITED, FULL] = [{ reason: "burned" }, { invited: true }, { threshold: 100 }];

const lastUse = (last_used_on: string | null, units: number) =>
  lastUseOf({ last_used_on, units })
    .replace(/^This key /, "")
    .replace("Requests with it will fail at once.", "WARNING");

/** An account's usage on NOW. */
const usageOf = (used: number, quota: number) => ({
  plan: "free",
  billing_period: { start: "2026-11-01T00:00:00.000Z", end: "2026-12-01T00:00:00.000Z" },
  usage: {
    used_units: used,
    quota_units: quota,
    remaining_units: Math.max(0, quota - used),
    utilization: used / quota,
  },
});
const foreseen = (used: number, quota: number, recent: number, age: number) => {
  const days = [{ date: "2026-11-20", api_key_id: "1", units: recent }];
  return forecastOf(usageOf(used, quota), days, { created_at: ago(age) })
    ?.replace("At the average of the last ", "")
    .replace(/ will be used by then\.| 2026\.$/, "");
};
const warning = (used: number) => [levelOf(usageOf(used, 10)), warningOf(usageOf(used, 10))];

const pair = (base: string, base_name: string, quote: string, quote_name: string) => {
  return { base, base_name, quote, quote_name };
};
const pairs = [
  pair("CHF", "Swiss Franc", "USD", "US Dollar"),
  pair("EUR", "Euro", "PLN", "Polish Złoty"),
  pair("EUR", "Euro", "USD", "US Dollar"),
  pair("STN", "São Tomé Dobra", "PLN", "Polish Złoty"),
  pair("USD", "US Dollar", "CZK", "Czech Koruna"),
];
const names = (found: readonly { base: string; quote: string }[]) =>
  found.map(({ base, quote }) => `${base}/${quote}`).join(" ");
const found = (search: string) => names(findPairs(pairs, search));
const choices = [
  { symbol: "CHF", name: "Swiss Franc" },
  { symbol: "FRX", name: "Franc" },
  { symbol: "XXX", name: null },
  { symbol: "XAF", name: "Franc of Central Africa" },
];

const isLateRate = (days: number, covered?: object) => {
  const rate = { base: "EUR", quote: "USD", as_of: ago(days * DAY) };
  return isLate(rate as never, { pairOf: new Map(covered && [["EUR/USD", covered]]) as never });
};
const sent = (key: string) => {
  try {
    return completeKey(key);
  } catch (error) {
    return String(error).replace(/ Paste .*/, "");
  }
};

const RATE = { base: "EUR", quote: "USD", rate: "1.1" };
const failed = (code: string) => ({ code, message: "-", request_id: "1" });
const tried = (status: number, body: object, units?: string, source?: string) => {
  const headers = new Headers();
  if (units) headers.set("units-charged", units);
  if (source) headers.set("rate-source", source);
  const shown = outcomeOf({ status, headers, text: JSON.stringify(body) });
  assert.equal(shown.rate === undefined, shown.error !== undefined);
  return [shown.status, shown.cost, shown.source?.name].join(", ");
};
const triedTool = (result: object, units: string) => {
  const _meta = { "kurs/units-charged": units, "kurs/rate-source": 'ecb;name="ECB"' };
  return tried(200, { jsonrpc: "2.0", id: 1, result: { ...result, _meta } });
};
const TOOL_FAILURE = {
  isError: true,
  content: [{ text: JSON.stringify(failed("quota_exceeded")) }],
};

const limitsTyped = (expires_at: string, units_per_period = "", units_per_day = "") =>
  Object.values(limitsIn({ expires_at, units_per_period, units_per_day }));
const errorAt = (message: string, code: "invalid_request" | "not_found" = "invalid_request") =>
  errorsOf(new ApiError(code, message));
const limited = (expires_at: string | null, used: number, cap: number | null, today = 0) =>
  linesOf({
    ...{ api_key_id: "1", expires_at, units_per_period: cap, units_per_day: today || null },
    ...{ period_units: used, day_units: today },
  }).map(({ text, level }) => `${level}: ${text}`);

const grant = (id: string, left: number, expires_at: string | null, revoked_at = "") => ({
  ...{ id, units: 9, used_units: 9 - left, remaining_units: left, reference: id },
  ...{ granted_at: OLDER, expires_at, revoked_at: revoked_at || null },
});
const grants = [
  ...[grant("old", 2, null), grant("new", 1, null), grant("late", 3, "2026-12-31T00:00:00.000Z")],
  ...[grant("soon", 4, "2026-11-22T00:00:00.000Z"), grant("spent", 0, null)],
  ...[grant("over", 0, ago(0)), grant("gone", 0, null, OLDER)],
];
const split = splitGrants(grants);
const keyNames = new Map([["1", "bill"]]);
const threshold = (stated: Parameters<typeof describeThreshold>[0]) =>
  describeThreshold(stated, keyNames);
const errorOfSent = (message: string) =>
  errorOfThreshold(new ApiError("invalid_request", message), [{ percent: 80 }], keyNames);
const idsOf = (some: readonly { id: string }[]) => some.map(({ id }) => id).join(" ");

const source = (change = {}) => {
  const times = { newest_as_of: NOW, last_success_at: NOW, next_publication: null };
  return { ...times, missed_publications: 1, pairs: 1, ...change } as never;
};
const late = source({ newest_as_of: OLD, last_success_at: null });
const unreached = (change: object) =>
  unreachedSince([late, source({ newest_as_of: OLDER, last_success_at: OLDER, ...change })]);
const note = (upToDate: number, failing: number, fetchedAt?: string, free?: number) =>
  noteOn({
    version: "1",
    pairs: 299,
    publishers: 6,
    publishers_up_to_date: upToDate,
    publishers_failing: failing,
    last_success_at: fetchedAt ?? null,
    free_units: free ?? null,
  })
    .replace(" Looking is free.", "")
    .replace("Rates were last fetched 1 minute ago.", "FETCHED")
    .replace("the service keeps trying", "IT TRIES")
    .replace("The rates came with Kurs", "SNAPSHOT");

const wayBack = (search: string) => {
  tab.open(`/kurs/login${search}`);
  return readWayBack();
};

const rows: readonly (readonly [what: string, said: unknown, expected: unknown])[] = [
  ["a registration", own("account.registered", { plan: "x" }), "Account created"],
  ["by invitation", own("account.registered", INVITED), "Account created with an invitation"],
  ["an invitation", others("account.invited", { plan: "pro" }), "Invited to plan pro"],
  ["another plan", others("account.plan_changed", { plan: "pro" }), "Moved to plan pro"],
  ["a plan without a name", others("account.plan_changed"), "Moved to a plan"],
  ["mails", own("account.quota_mails_changed", { quota_mails: true }), "Quota mails turned on"],
  ["no mails", others("account.quota_mails_changed", {}), "Quota mails turned off"],
  ["a quota", others("account.quota_changed", { quota_units: 1 }), "Quota of 1 unit set"],
  ["the plan's", others("account.quota_changed", { quota: "plan" }), "Quota of the plan set"],
  ["a grant", others("units.granted", GRANT), "5,000 units granted: invoice 4711"],
  ["no grant", others("units.revoked", GRANT), "Granted units revoked: invoice 4711"],
  ["a password", own("password.changed", { keys_revoked: 0 }), "Password changed"],
  ["the first", own("password.changed", { keys_revoked: 2 }), "Password changed; 2 keys revoked"],
  ["a log-out", own("session.ended"), "Logged out"],
  ["another session's end", own("session.ended", { session_id: "1" }), "Session ended"],
  ["a leak", others("session.ended", LEAK), "Session ended: its token was found in a leak"],
  ["a session's end", others("sessions.ended", { sessions: 1 }), "1 session ended"],
  ["sessions' end", others("sessions.ended"), "Sessions ended"],
  ["a key", own("api_key.created", KEY), "API key svc_1a… created"],
  ["a named key", own("api_key.created", NAMED_KEY), "API key “bill” svc_1a… created"],
  ["a leaked key", others("api_key.revoked", LEAK), "API key revoked: it was found in a leak"],
  ["a full quota", others("quota.threshold_reached", FULL), "100% of the quota used"],
  ["nearly", others("quota.threshold_reached"), "Most of the quota used"],
  ["units", others("quota.threshold_reached", { units: 1000 }), "1,000 units used"],
  ["a key's", others("quota.threshold_reached", KEY), "Threshold of API key svc_1a… reached"],
  ["a newer server's action", others("account.moved", { plan: "pro" }), "account.moved"],
  ["an action like a member", others("constructor"), "constructor"],
  ["an owner's address", from("account"), "from 192.0.2.1"],
  ["an operator's address", from("operator"), "by an operator"],
  ["the service's address", from("service"), "by the service"],

  ["a time to come", format.formatAge(ago(-MINUTE)), "just now"],
  ["59.999 seconds ago", format.formatAge(ago(MINUTE - 1)), "just now"],
  ["a minute ago", format.formatAge(ago(MINUTE)), "1 minute ago"],
  ["an hour ago, nearly", format.formatAge(ago(HOUR - 1)), "59 minutes ago"],
  ["an hour ago", format.formatAge(ago(HOUR)), "1 hour ago"],
  ["a day ago", format.formatAge(ago(DAY)), "yesterday"],
  ["31 days ago", format.formatAge(ago(31 * DAY)), "last month"],
  ["364 days ago", format.formatAge(ago(364 * DAY)), "11 months ago"],
  ["a year ago", format.formatAge(ago(365 * DAY)), "last year"],
  ["a figure of now", format.formatOld(ago(-MINUTE)), "0 minutes old"],
  ["a figure of an hour", format.formatOld(ago(HOUR)), "1 hour old"],
  ["a figure of two days, nearly", format.formatOld(ago(2 * DAY - 1)), "47 hours old"],
  ["a figure of two days", format.formatOld(ago(2 * DAY)), "2 days old"],
  ["a minute of UTC", format.formatMinute("2026-11-21T00:05:59.999Z"), "21 Nov 2026, 00:05 UTC"],
  ["a reset in ten days", format.formatDaysUntil("2026-12-01T00:00:00Z"), "in 10 days"],
  ["a reset within the day", format.formatDaysUntil("2026-11-22T00:00:00Z"), "in 1 day"],
  ["a reset that is past", format.formatDaysUntil("2026-11-01T00:00:00Z"), "in 0 days"],
  ["a long amount", format.groupDigits("1416789.66300"), "1,416,789.66300"],
  ["a short amount", format.groupDigits("100"), "100"],
  ["a share", format.formatRatio(0.87512), "87.51%"],
  ["a key without use", lastUse(null, 0), "has never been used."],
  ["an old key", lastUse("2026-11-19", 1), "was last used on 19 Nov 2026."],
  [
    "a key of yesterday",
    lastUse("2026-11-20", 1),
    "was used yesterday (1 unit this month). WARNING",
  ],
  ["a key of today", lastUse("2026-11-21", 0), "was used today. WARNING"],

  ["the end of a period", foreseen(17, 40, 14, 30 * DAY), "7 days, about 36 of 40 units"],
  [
    "too many reads",
    foreseen(14, 30, 14, 30 * DAY),
    "7 days, the units will run out around 29 Nov",
  ],
  ["a new account", foreseen(4, 100, 4, HOUR), "At the first day's average, about 42 of 100 units"],
  ["three days", foreseen(6, 100, 6, 2.5 * DAY), "3 days, about 25 of 100 units"],
  ["no reads", foreseen(3, 30, 0, 30 * DAY), undefined],
  ["no unit left", foreseen(5, 5, 5, 30 * DAY), undefined],
  ["70 %", warning(7), ["low", undefined]],
  ["80 %", warning(8), ["high", "80% of the quota is used: 2 of 10 units left."]],
  ["a full quota", warning(10)[0], "full"],
  ["an even share", evenShareOf(usageOf(0, 60)), { perDay: 2, firstDay: "2026-11-01" }],

  ["no limit", limitsTyped(" "), [null, null, null]],
  ["days and numbers", limitsTyped("30 days", "500", "1,000"), ["30 days", 500, 1000]],
  ["a date", limitsTyped("2027-01-31", " 1 000 000 "), ["2027-01-31T00:00:00Z", 1e6, null]],
  ["what is no limit", limitsTyped("31.1.2027", "1,5", "-1"), ["31.1.2027", "1,5", "-1"]],
  ["a limit's text", textsOf({ units_per_day: 5 }).units_per_day, "5"],
  ["a wrong end", errorAt("expires_at must be a time."), { expires_at: "End must be a time." }],
  [
    "a wrong cap",
    errorAt("units_per_day must be either integer or null."),
    { units_per_day: "Units per UTC day must be a whole number." },
  ],
  ["a wrong name", errorAt("name must not be empty."), {}],
  ["a member of all objects", errorAt("constructor is wrong."), {}],
  ["a key that is gone", errorAt("expires_at is of no active key.", "not_found"), {}],
  ["an end in 8 days", limited("2026-11-29T12:00:00Z", 0, null), ["low: Ends on 29 Nov 2026"]],
  [
    "an end in 7 days",
    limited("2026-11-28T12:00:00Z", 0, null),
    ["high: Ends in 7 days, on 28 Nov 2026"],
  ],
  ["79 % of a cap", limited(null, 79, 100), ["low: 79 of 100 units this month"]],
  ["80 % of a cap", limited(null, 80, 100), ["high: 80 of 100 units this month"]],
  [
    "two full caps",
    limited(null, 3, 2, 1),
    ["full: 3 of 2 units this month: used up", "full: 1 of 1 unit today: used up"],
  ],

  ["a threshold", threshold({ percent: 80 }), "80% of the quota"],
  ["a threshold in units", threshold({ units: 5000 }), "5,000 units in a month"],
  ["one of a key", threshold({ api_key_id: "1", percent: 90 }), "90% of the month's cap of bill"],
  ["one of a key in units", threshold({ api_key_id: "1", units: 1 }), "1 unit of bill in a month"],
  [
    "one of a key that ended",
    threshold({ api_key_id: "2", units: 1 }),
    "1 unit of a key that is not active in a month",
  ],
  ["none", threshold({ units: null }), " units in a month"],
  ["what was typed", threshold({ percent: "most" }), "most% of the quota"],
  [
    "a wrong threshold",
    errorOfSent("thresholds.0 repeats an earlier one."),
    "“80% of the quota” repeats an earlier one.",
  ],
  [
    "a wrong percentage",
    errorOfSent("thresholds.0.percent must be integer."),
    "“80% of the quota” must be integer.",
  ],
  ["too many", errorOfSent("thresholds must not have more than 10 items."), undefined],
  ["one not sent", errorOfSent("thresholds.1 repeats an earlier one."), undefined],

  ["grants in the order of their use", idsOf(split.usable), "soon late old new"],
  ["former grants", idsOf(split.others), "spent over gone"],
  ["the plan's units", [leftOfPlan(13, grants), leftOfPlan(5, grants)], [3, 0]],
  [
    "the ends of grants",
    grants.slice(1, 7).map(endOfGrant),
    [
      ...["no end", "31 Dec 2026, 00:00 UTC", "22 Nov 2026, 00:00 UTC"],
      ...["used up", "expired on 21 Nov 2026", "revoked on 18 Nov 2026"],
    ],
  ],

  ["a pair", found("EUR/USD"), "EUR/USD"],
  ["a pair in one word", found(" eurusd "), "EUR/USD"],
  ["beginnings of words", found("euro us dol"), "EUR/USD"],
  ["full widths", found("ＥＵＲ　ＵＳＤ"), "EUR/USD"],
  ["a symbol", found("usd"), "USD/CZK CHF/USD EUR/USD"],
  ["accents", found("sao tome"), "STN/PLN"],
  ["a stroke", found("zloty"), "EUR/PLN STN/PLN"],
  ["the middle of a word", found("rank"), ""],
  ["a sign", found("€"), ""],
  ["no search", found(""), names(pairs)],
  ["major pairs", names(majorsFirst(pairs as never)), "EUR/USD EUR/PLN USD/CZK CHF/USD STN/PLN"],
  [
    "choices",
    matching(choices, " fr")
      .map(({ symbol }) => symbol)
      .join(),
    "FRX,CHF,XAF",
  ],
  ["symbols in any case", pairNameOf(" eur", "usd "), "EUR/USD"],
  ["a symbol that costs nothing", pairNameOf("ß", "USD"), undefined],

  ["a rate of another week", isLateRate(8), true],
  ["a rate of this week", isLateRate(6), false],
  ["a rate before the next one", isLateRate(8, { next_publication: NOW }), false],
  ["a missed one", isLateRate(0, { missed_publication: true, next_publication: NOW }), true],
  ["a key with spaces", sent(" svc_live_1 "), "svc_live_1"],
  ["a key's prefix", sent("svc_live_1a2b3c4d…"), "ApiError: This is not a complete key."],
  ["a key with an accent", sent("svc_live_1é"), "ApiError: This is not a complete key."],

  ["a rate", tried(200, RATE, "1", 'ecb;name="The \\"C\\""'), '200, 1 unit, The "C"'],
  ["another alphabet", tried(200, RATE, "1", 'import;name=%"M%c3%a9x"'), "200, 1 unit, Méx"],
  ["a source without a name", tried(200, RATE, "1", "import:own"), "200, 1 unit, import:own"],
  ["a rejected read", tried(429, failed("quota_exceeded"), "0"), "429 quota_exceeded, nothing, "],
  ["a charged 404", tried(404, failed("not_found"), "1"), "404 not_found, 1 unit, "],
  ["a 400", tried(400, failed("invalid_request")), "400 invalid_request, nothing, "],
  ["a failure that does not say", tried(500, failed("internal_error")), "500 internal_error, , "],
  ["a tool's rate", triedTool({ structuredContent: RATE }, "1"), "200, 1 unit, ECB"],
  ["a tool's failure", triedTool(TOOL_FAILURE, "0"), "quota_exceeded, nothing, "],

  ["nothing missed", stateOf(0, 0), "up to date"],
  ["one pair missed", stateOf(0, 1), "1 pair left out"],
  ["one missed", stateOf(1, 2), "1 publication missed"],
  ["98 missed", stateOf(98, 0), "98 publications missed"],
  ["99 missed", stateOf(99, 0), "99+ publications missed"],
  ["no archive", archiveOf({ archive_since: null } as never), "none that Kurs reads"],
  [
    "dates",
    datesOf(late),
    "Newest rates: 19 Nov 2026, 12:00 UTC, 2 days old. Next publication: at any time.",
  ],
  [
    "no dates",
    datesOf(source({ pairs: 0 })),
    "Newest rates: none yet. Next publication: at any time.",
  ],
  ["a fetch", fetchedOf(source()), "21 Nov 2026, 12:00 UTC"],
  ["no fetch", fetchedOf(late), "not yet: its rates came with Kurs or by an import"],
  ["no fetch, no pairs", fetchedOf(source({ last_success_at: null, pairs: 0 })), "not yet"],
  ["publishers away", unreached({}), [OLDER, OLD]],
  ["a publisher reached later", unreached({ last_success_at: NOW }), undefined],
  ["a publisher up to date", unreached({ missed_publications: 0 }), undefined],
  ["a range of days", format.formatDays(OLDER, OLD), "18 to 19 November 2026"],
  ["one day", format.formatDays(OLD, OLD), "19 November 2026"],
  ["a fresh service", note(6, 0, ago(MINUTE), 9), "FETCHED A new account has 9 units a month."],
  ["a service without accounts", note(6, 0, ago(MINUTE)), "FETCHED"],
  ["a late service", note(4, 0, ago(MINUTE)), "2 publishers have missed a publication. FETCHED"],
  [
    "a failing one",
    note(5, 2, ago(MINUTE)),
    "1 publisher has missed a publication; IT TRIES. FETCHED",
  ],
  [
    "one without a network",
    note(0, 3),
    "SNAPSHOT: their publishers cannot be reached, and IT TRIES.",
  ],

  ["a way back", wayBack("?next=/usage&days=7"), { target: "/usage", search: "?days=7" }],
  ["another site", wayBack("?next=https://example.com/"), undefined],
  ["another host", wayBack("?next=//example.com"), undefined],
  ["a path of the API", wayBack("?next=/v1/account/usage"), undefined],
  ["a script", wayBack("?next=javascript:1"), undefined],
];

for (const [what, said, expected] of rows) {
  test(`${what} is ${JSON.stringify(expected) ?? "nothing"}`, () =>
    assert.deepEqual(said, expected));
}
