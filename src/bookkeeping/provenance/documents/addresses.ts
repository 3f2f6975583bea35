import { DAY_MS } from "../../../platform/shared/clock.ts";
import {
  type Dates,
  type Publisher,
  type RequestUnit,
  rangesBy,
  requestsOf,
} from "../../../rates/documents.ts";
import type { Snapshot } from "../../../rates/sources/source.ts";
import type { DocumentReader, ReadDocument } from "../document-reader.ts";

type Fault = ReturnType<DocumentReader["checkOrigin"]>;

const DIGITS_OR_MONTH = /[0-9]+|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b/g;

/** An address without its digits: those of an archive are the dates that were asked for. */
const formOf = (address: string) => address.replaceAll(DIGITS_OR_MONTH, "0");

/** Any working day: every address of an archive has the same form. */
const ANY_DAY = "2026-03-12";

/** The addresses that are requested at a time, and those from which a publisher has moved. */
function addressesOn(publisher: Publisher, atMs: number): readonly string[] {
  const { schedule, formerAddresses = [] } = publisher;
  const addresses = [...publisher.addresses, ...formerAddresses];
  return requestsOf({ addresses, schedule }, atMs, "").map(({ address }) => address);
}

/** The addresses that an archive has for a range of dates. */
const archiveAddresses = ({ archive }: Publisher, from: string, to: string) =>
  (archive?.requests({ from, to }, "") ?? []).map(({ address }) => address);

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
  const forms = archiveAddresses(publisher, ANY_DAY, ANY_DAY).map(formOf);
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

const daysAfter = (date: string, days: number) =>
  Temporal.PlainDate.from(date).add({ days }).toString();

/** How long before and after a day's request the figures in its response are dated. */
const REQUESTED_DAYS = { before: 16, after: 7 };

const daysOf = (dates: Dates) => rangesBy("day", dates).map(({ from }) => from);

/** Whether a request of an archive whose response may have a date has an address. */
function isArchiveAddress(publisher: Publisher, unit: RequestUnit, name: string, date: string) {
  const addressesOf = (from: string, to: string) => archiveAddresses(publisher, from, to);
  if (unit === "day") {
    const { before, after } = REQUESTED_DAYS;
    const days = daysOf({ from: daysAfter(date, -after), to: daysAfter(date, before) });
    return days.some((day) => addressesOf(day, day).includes(name));
  }
  const year = { from: `${date.slice(0, 4)}-01-01`, to: `${date.slice(0, 4)}-12-31` };
  const whole = rangesBy(unit, year).find(({ from, to }) => from <= date && date <= to) ?? year;
  // A command's own first and last date may cut it. Trying all pairs takes seconds.
  const firsts = daysOf({ from: whole.from, to: date }).map((from) => {
    const lengths = addressesOf(from, whole.to).map((address) => commonLength(address, name));
    return { from, length: Math.max(...lengths) };
  });
  const longest = Math.max(...firsts.map(({ length }) => length));
  const lasts = daysOf({ from: date, to: whole.to });
  return firsts.some(
    ({ from, length }) =>
      length === longest && lasts.some((to) => addressesOf(from, to).includes(name)),
  );
}

/** How many characters two texts begin with in common. */
function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** No table is valid for longer. */
const VALID_DAYS_MAX = 366;

/** Whether a document with a figure of a date may have an address, by the dates in that. */
export function isNamedFor(
  publisher: Publisher,
  name: string,
  { date, validUntil }: { readonly date: string; readonly validUntil?: string | undefined },
): boolean {
  const { archive } = publisher;
  const isForm = (address: string) => formOf(address) === formOf(name);
  if (archive !== undefined && archiveAddresses(publisher, ANY_DAY, ANY_DAY).some(isForm)) {
    if (isArchiveAddress(publisher, archive.requestsBy, name, date)) return true;
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
