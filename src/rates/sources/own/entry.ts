import { Cron } from "croner";
import { isLoopback } from "../../../platform/shared/loopback.ts";
import { quoted } from "../../../platform/shared/text/visible-text.ts";
import type { FigureKind } from "../../served/rules/rate.ts";
import { parsePairName, parseSymbol } from "../../served/rules/symbol.ts";
import { dateAs, isoDateOf, isoDateOfMonthFirst } from "../publishers/formats/notation.ts";
import type { Publisher } from "../publishers/publisher.ts";

/** Why an entry of SOURCES_FILE is invalid. */
export class InvalidEntry extends Error {}

/** What a member must be, and whether a value is that: a check that throws does not hold. */
type Rule = readonly [what: string, isValid: (value: unknown) => unknown];

const form = (what: string, pattern: RegExp): Rule => [
  what,
  (value) => typeof value === "string" && pattern.test(value),
];

const oneOf = (...choices: readonly unknown[]): Rule => [
  choices.map((one) => JSON.stringify(one)).join(" or "),
  (value) => choices.includes(value),
];

const whole = (least: number, most: number): Rule => [
  `a whole number from ${least} to ${most}`,
  (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= least && value <= most,
];

const line = form("a text in one line", /^(?=.*\S)\P{Cc}+$/u);
const column = form("a column", /^[^=]/);
const POINTER = /^#?(\/([^~/]|~[01])*)*$/;
const pointer = form('a JSON pointer such as "/mid", or "#/date" from the top', POINTER);
const jsonPlace: Rule = [pointer[0], (value) => value !== "" && pointer[1](value)];

/** A place, or a constant: of a figure, or of its date, a document states neither. */
const orConstant = (
  [what, isPlace]: Rule,
  example: string,
  isConstant: (text: string) => unknown,
): Rule => [
  `${what}, or a constant such as "${example}"`,
  (value) =>
    typeof value === "string" && value.startsWith("=")
      ? isConstant(value.slice(1))
      : isPlace(value),
];

/** Not the source of an operator's imports, or that of the snapshot. */
const KEY = /^(?!import$|snapshot$)[a-z][a-z0-9-]{1,31}$/;
const key = form("2 to 32 of a-z, 0-9 and -, not import", KEY);

/** One time of day, and days that have words for a person (`describeSchedule`). */
const CRON = /^[0-9]+ [0-9]+ (\* \* (\*|[0-6](-[0-6])?)|[0-9]+ (\*|[0-9,]+) \*)$/;

/** A header, and what is before the token in it. */
export const TOKEN_HEADER = /^([\w-]+): ([ -~]*)\{token\}$/;

/** How dates are written, and what rewrites them as 2026-03-13. */
export const dateFormats: Readonly<Record<string, (date?: string) => string | undefined>> = {
  "yyyy-mm-dd": (date) => date,
  "dd Mon yyyy": isoDateOf,
  "dd.mm.yyyy": isoDateOf,
  "dd/mm/yyyy": isoDateOf,
  "mm/dd/yyyy": isoDateOfMonthFirst,
};

const addresses = (count?: number): Rule => [
  `a list with ${count ?? "one or more"} at https, or at http on this machine, without passwords ` +
    "and without braces but those of {today} or {today-7 dd.mm.yyyy}",
  (value) =>
    Array.isArray(value) &&
    value.length === (count ?? (value.length || 1)) &&
    value.every(isAddress),
];

/** @param place the rule of a place in a row. */
const pairsAt = ([, isPlace]: Rule): Rule => [
  'an object with a place for each pair, such as {"XUDLUSS": "GBP/USD"}',
  (value) => {
    const places = Object.entries(Object(value)).map(([at, pair]) => [at, String(pair)] as const);
    const isEach = places.every(([at, name]) => {
      const pair = parsePairName(name);
      return isPlace(at) && pair !== undefined && pair.base !== pair.quote;
    });
    return (
      isEach && places.length > 0 && places.length === new Set(places.map(([, name]) => name)).size
    );
  },
];

/**
 * The members that an added publisher may have, which some of them decide. Each place in a row is a
 * column of CSV or a pointer of RFC 6901 into JSON, after "#" from the top of the document.
 */
function rulesOf(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, Rule>> {
  const [isPolled, isJson] = ["everySeconds" in entry, entry.format === "json"];
  const place = isJson ? jsonPlace : column;
  const symbol = orConstant(place, "=EUR", parseSymbol);
  const other: Rule = [symbol[0], (value) => value !== entry.base && symbol[1](value)];
  return {
    key,
    name: line,
    country: form("two letters such as GB", /^[A-Z]{2}$/),
    terms: line,
    // As it is in a header of responses.
    termsUrl: form("an address such as https://desk.example.org/terms", /^https:\/\/[!#-;=?-~]+$/),
    addresses: addresses(),
    formerAddresses: addresses(),
    tokenHeader: form('a header such as "Authorization: Bearer {token}"', TOKEN_HEADER),
    charset: ["an encoding such as windows-1252", (value) => new TextDecoder(String(value))],
    // One that is polled is stale after five minutes without a new rate.
    ...(isPolled ? { everySeconds: whole(10, 300) } : calendar),
    kind: oneOf("middle", "buying", "selling"),
    format: oneOf("csv", "json"),
    ...(isJson ? { rows: pointer } : { delimiter: oneOf(",", ";", "\t") }),
    ...("pairs" in entry ? { pairs: pairsAt(place) } : { base: symbol, quote: other, rate: place }),
    units: orConstant(place, "=100", (text) => /^10{0,9}$/.test(text)),
    decimal: oneOf(".", ","),
    ...(isPolled || "asOf" in entry ? { asOf: place } : { date: place, ...dates }),
  };
}

const calendar: Readonly<Record<string, Rule>> = {
  cron: [
    'a time of day in five fields such as "30 16 * * 1-5"',
    (value) => CRON.test(String(value)) && new Cron(String(value), { paused: true }).nextRun(),
  ],
  timeZone: [
    "a time zone such as Europe/London",
    (value) => !/^[+-]/.test(String(value)) && Intl.DateTimeFormat("en", { timeZone: `${value}` }),
  ],
  leadDays: whole(1, 7),
};

const dates: Readonly<Record<string, Rule>> = {
  dateFormat: oneOf(...Object.keys(dateFormats)),
  publishedAt: form('a time of day such as "16:00"', /^([01][0-9]|2[0-3]):[0-5][0-9]$/),
};

/** The members without which an entry is whole. */
const optional = [
  ...["country", "termsUrl", "formerAddresses", "tokenHeader", "charset", "leadDays", "kind"],
  ...["rows", "delimiter", "units", "decimal", "dateFormat"],
];

type OfPublisher = "country" | "termsUrl" | "tokenHeader" | "charset" | "cron" | "timeZone";
type OfText = "delimiter" | "decimal" | "dateFormat" | "publishedAt";
type Place = "rows" | "base" | "quote" | "rate" | "units" | "date" | "asOf";

/** An entry that adds a publisher; one that moves a publisher has only key and addresses. */
export interface Entry
  extends Readonly<Record<"key" | "name" | "terms" | "format", string>>,
    Readonly<Partial<Record<OfPublisher | OfText | Place, string>>> {
  readonly addresses: readonly string[];
  readonly formerAddresses?: readonly string[];
  readonly everySeconds?: number;
  readonly leadDays?: number;
  readonly kind?: FigureKind;
  readonly pairs?: Readonly<Record<string, string>>;
}

/**
 * Reads an entry.
 *
 * @param moved the built-in publisher that it moves, with its addresses alone; unset: it adds one.
 * @throws {InvalidEntry}
 */
export function readEntry(entry: unknown, moved?: Pick<Publisher, "addresses">): Entry {
  const given = Object(entry) as Readonly<Record<string, unknown>>;
  const rules = moved ? { key, addresses: addresses(moved.addresses.length) } : rulesOf(given);
  const stranger = Object.keys(given).find((name) => !Object.hasOwn(rules, name));
  if (stranger !== undefined) {
    const members = `${Object.keys(rules).join(", ")}${moved ? ", as one that is built in" : ""}`;
    throw new InvalidEntry(`${quoted(stranger)} is none of its members ${members}`);
  }
  for (const [name, rule] of Object.entries(rules)) {
    if (name in given || !optional.includes(name)) check(name, rule, given[name]);
  }
  return given as unknown as Entry;
}

/** @throws {InvalidEntry} texts are shown, but no address and no token. */
function check(name: string, [what, isValid]: Rule, value: unknown): void {
  let holds = false;
  try {
    holds = Boolean(isValid(value));
  } catch {
    // Such as a RangeError of an unknown time zone.
  }
  if (holds) return;
  const isShown = typeof value === "string" && name !== "tokenHeader";
  throw new InvalidEntry(`${name} must be ${what}${isShown ? `, not ${quoted(value)}` : ""}`);
}

/**
 * `{today}` or, with days before it and a form, `{today-7 dd.mm.yyyy}`. An address of more than 14
 * days before is not taken for that of a figure's document (`isNamedFor`).
 */
const DATE = /\{today(?:-(1[0-4]|[1-9]))?(?: ((?:yyyy|Mon|mm|dd|[^{}\p{L}])+))?\}/gu;

/** @returns an address with the dates that it asks for. */
export function fillDates(address: string, today: Temporal.PlainDate): string {
  return address.replaceAll(DATE, (_, days = "0", form = "yyyy-mm-dd") =>
    dateAs(form, today.subtract({ days: Number.parseInt(days, 10) })),
  );
}

function isAddress(text: string): boolean {
  const filled = fillDates(text, Temporal.PlainDate.from("2026-01-01"));
  const { protocol, hostname, username, password } = new URL(filled);
  const isHere = protocol === "http:" && isLoopback(hostname);
  return (protocol === "https:" || isHere) && username + password === "" && !/[{}]/.test(filled);
}
