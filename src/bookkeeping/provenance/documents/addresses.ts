import { DAY_MS } from "../../../platform/shared/clock.ts";
import { isDate } from "../../../platform/shared/instant.ts";
import { type Publisher, requestsOf } from "../../../rates/documents.ts";
import type { Snapshot } from "../../../rates/sources/source.ts";
import type { DocumentReader, ReadDocument } from "../document-reader.ts";

type Archive = NonNullable<Publisher["archive"]>;
type Fault = ReturnType<DocumentReader["checkOrigin"]>;

/** The addresses that are requested at a time, and those from which a publisher has moved. */
function addressesOn(publisher: Publisher, atMs: number): readonly string[] {
  const { schedule, formerAddresses = [] } = publisher;
  const addresses = [...publisher.addresses, ...formerAddresses];
  return requestsOf({ addresses, schedule }, atMs, "").map(({ address }) => address);
}

const MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";

/** An address without its digits and names of months: the dates that were asked for. */
const formOf = (address: string) =>
  address.replaceAll(/[0-9]+/g, "0").replaceAll(new RegExp(`/(?:${MONTHS})/`, "g"), "/0/");

/** Any date on which all publish: every address of an archive has the same form. */
const ANY_DAY = { from: "2026-03-31", to: "2026-03-31" };

/** The addresses that an archive has for some dates. */
const archiveAddresses = (archive: Archive | undefined, dates: typeof ANY_DAY) =>
  (archive?.requests(dates, "") ?? []).map(({ address }) => address);

/** Checks the documents of a publisher's publication by their addresses. */
export function checkAddresses(
  publisher: Publisher,
  documents: readonly ReadDocument[],
  receivedMs: number,
): Fault {
  const names = documents.map(({ name }) => name);
  if (publisher.addresses.length === 0) {
    const reason = `whose figures these are: the operator has handed in ${names.join(", ")}`;
    return { reason, isForeign: documents.length > 1 };
  }
  // The publisher's own day may be another than that of the Date header.
  const days = [-DAY_MS, 0, DAY_MS].map((ms) => addressesOn(publisher, receivedMs + ms));
  const forms = archiveAddresses(publisher.archive, ANY_DAY).map(formOf);
  const hosts = [...days.flat(), ...forms].map((address) => new URL(address).host);
  const foreign = names.find((name) => !hosts.includes(URL.parse(name)?.host ?? ""));
  if (foreign !== undefined) {
    return { reason: `${foreign} is no address of ${publisher.key}`, isForeign: true };
  }
  const isWithin = (some: readonly string[], all: readonly string[]) =>
    some.every((one, index) => some.indexOf(one) === index && all.includes(one));
  if (days.some((day) => isWithin(names, day)) || isWithin(names.map(formOf), forms)) return;
  const keys = names.map((name) => (forms.includes(formOf(name)) ? formOf(name) : name));
  const repeated = names.find((_, index) => keys.indexOf(keys[index] ?? "") !== index);
  const reason =
    repeated === undefined
      ? `whether ${names.join(", ")} is ${publisher.key}'s: this Kurs does not request it`
      : `${repeated}: a publication of ${publisher.key} has each address once`;
  return { reason, isForeign: repeated !== undefined };
}

/** How publishers write dates in addresses: 25.04.2026, 25/Apr/2026, 20260425, 202604. */
const DATES: readonly RegExp[] = [
  /(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)/g,
  new RegExp(`(?<day>\\d\\d)[/.](?<month>\\d\\d|${MONTHS})[/.](?<year>\\d{4})`, "g"),
  /(?<month>\d\d)[/-](?<day>\d\d)[/-](?<year>\d{4})/g,
  /(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?!\d)/g,
  /(?<year>\d{4})(?<month>\d\d)(?!\d)/g,
];

/** @returns the only date of a text's parts, or both ends of a month. */
function endsOf({ year = "", month = "", day }: Record<string, string>): readonly string[] {
  const number = MONTHS.split("|").indexOf(month) + 1 || Number.parseInt(month, 10);
  const first = `${year}-${String(number).padStart(2, "0")}-${day ?? "01"}`;
  if (!isDate(first)) return [];
  return [first, day === undefined ? daysAfter(first, daysInMonth(first) - 1) : first];
}

const daysInMonth = (date: string) => Temporal.PlainDate.from(date).daysInMonth;

/** The first and the last date for which an archive has an address; undefined for one without. */
function datesIn(address: string, archive: Archive): readonly [string, string] | undefined {
  for (const pattern of DATES) {
    const ends = [...address.matchAll(pattern)].flatMap(({ groups = {} }) => endsOf(groups));
    const [from, to] = [ends[0], ends.at(-1)];
    if (from === undefined || to === undefined) continue;
    if (archiveAddresses(archive, { from, to }).includes(address)) return [from, to];
  }
  return undefined;
}

const daysAfter = (date: string, days: number) =>
  Temporal.PlainDate.from(date).add({ days }).toString();

/** How long before and after a day's request the figures in its response are dated. */
const REQUESTED_DAYS = { before: 16, after: 7 };

/** No table is valid for longer. */
const VALID_DAYS_MAX = 366;

/** Whether a document with a figure of a date may have an address, by the dates in that. */
export function isNamedFor(
  publisher: Publisher,
  name: string,
  { date, validUntil }: { readonly date: string; readonly validUntil?: string | undefined },
): boolean {
  const { archive } = publisher;
  const isOfArchive = archiveAddresses(archive, ANY_DAY).some(
    (one) => formOf(one) === formOf(name),
  );
  if (archive !== undefined && isOfArchive) {
    // A file of a month or a year has one address for all of its dates.
    if (archiveAddresses(archive, { from: date, to: date }).includes(name)) return true;
    const dates = datesIn(name, archive);
    if (dates === undefined) return false;
    const [from, to] = dates;
    const { before, after } =
      archive.requestsBy === "day" ? REQUESTED_DAYS : { before: 0, after: 0 };
    return daysAfter(from, -before) <= date && date <= daysAfter(to, after);
  }
  const first = validUntil === undefined ? daysAfter(date, -REQUESTED_DAYS.after) : date;
  const days = validUntil === undefined ? REQUESTED_DAYS.before : VALID_DAYS_MAX;
  const end = daysAfter(date, days);
  const last = validUntil !== undefined && validUntil < end ? validUntil : end;
  for (let day = first; day <= last; day = daysAfter(day, 1)) {
    if (addressesOn(publisher, Date.parse(`${day}T12:00:00Z`)).includes(name)) return true;
  }
  return publisher.addresses.length === 0;
}

/** Checks the document of a publication that came with the program. */
export function checkSnapshot(
  [document, ...others]: readonly ReadDocument[],
  { fileName, content }: Pick<Snapshot, "fileName" | "content">,
): Fault {
  const isOwn = document?.name === fileName && Buffer.from(content).equals(document.content);
  if (isOwn && others.length === 0) return undefined;
  return { reason: "the snapshot is not the one that this Kurs has", isForeign: true };
}
