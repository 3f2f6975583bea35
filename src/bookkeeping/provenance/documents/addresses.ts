import { DAY_MS } from "../../../platform/shared/clock.ts";
import { type Publisher, requestsOf } from "../../../rates/documents.ts";
import type { Snapshot } from "../../../rates/sources/source.ts";
import type { DocumentReader, ReadDocument } from "../document-reader.ts";

type Fault = ReturnType<DocumentReader["checkOrigin"]>;

/** An address without its digits: those of an archive are the dates that were asked for. */
const formOf = (address: string) => address.replaceAll(/[0-9]+/g, "0");

/** Any date: every address of an archive has the same form. */
const ANY_DAY = { from: "2026-01-01", to: "2026-01-01" };

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
  const days = [-DAY_MS, 0, DAY_MS].map((ms) =>
    requestsOf(publisher, receivedMs + ms, "").map(({ address }) => address),
  );
  const forms = (publisher.archive?.addresses(ANY_DAY) ?? []).map(formOf);
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

/** Checks the document of a publication that came with the program. */
export function checkSnapshot(
  [document, ...others]: readonly ReadDocument[],
  { fileName, content }: Pick<Snapshot, "fileName" | "content">,
): Fault {
  const isOwn = document?.name === fileName && Buffer.from(content).equals(document.content);
  if (isOwn && others.length === 0) return undefined;
  return { reason: "the snapshot is not the one that this Kurs has", isForeign: true };
}
