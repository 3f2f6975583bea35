import { isDeepStrictEqual } from "node:util";
import { ANY_TIME, parseQuotation, type Rejection } from "../../rates/served/rules/rate.ts";
import { isImport, type SourcedRate } from "../../rates/served/rules/update-policy.ts";
import {
  expectationsOf,
  isCalendarKnown,
  publicationsOf,
  type RateSource,
} from "../../rates/sources/source.ts";
import { isAddress, publisherJson } from "../provenance/json.ts";
import { type Check, fails, holds, notProven } from "./check.ts";
import { checkDocuments, type DocumentUses, readPublication } from "./check-document.ts";
import { checkRule } from "./check-rule.ts";
import { checkTimes } from "./check-times.ts";
import {
  type Evidence,
  type EvidenceList,
  equation,
  evidencesIn,
  FORMAT,
  parseEvidence,
} from "./format.ts";
import { isOneKey, isSigned } from "./signature.ts";

/** Public keys of the operator that the verifying person has from elsewhere. */
export interface GivenKeys {
  /** The name of their file. */
  readonly file: string;
  /** Each as `x` of its JSON Web Key. */
  readonly publicKeys: readonly string[];
}

export interface VerifyUses extends Omit<DocumentUses, "knownSources"> {
  /** Every source that this version knows. */
  readonly sources: readonly RateSource[];
  readonly keys: GivenKeys | undefined;
  readonly nowMs: number;
}

/** What a file states of one figure, and the checks of that. */
interface VerifiedFigure {
  readonly evidence: Evidence;
  readonly checks: readonly Check[];
}

/** What became of a verification. */
export interface Verified {
  /** Undefined for a list, and for a file that cannot be read. */
  readonly evidence: Evidence | undefined;
  /** Those of the file itself and, but for a list, of its figure. */
  readonly checks: readonly Check[];
  /** The lines of a list; undefined for the evidence of one figure. */
  readonly lines?: readonly (VerifiedFigure & { readonly line: number })[];
}

/** Checks an evidence file by itself, without a store. */
export async function verifyEvidence(bytes: Uint8Array, uses: VerifyUses): Promise<Verified> {
  const file = await parseEvidence(bytes);
  if ("reason" in file) {
    const check = fails(`it is no evidence file: ${file.reason}; nothing else was checked`);
    return { evidence: undefined, checks: [check] };
  }
  const form = holds(`it is an evidence file of version ${FORMAT.version}, as Kurs writes it`);
  const signatures = await checkSignature(file, uses.keys);
  const evidences = evidencesIn(file);
  const listed = "statements" in file ? file.documents : undefined;
  const ofDocuments: Check[] = [];
  const checked = new Map<Evidence, readonly Check[]>();
  for (const some of Map.groupBy(evidences, publicationKey).values()) {
    const { bytes: read, figures } = await checkPublication(some, { ...uses, listed });
    ofDocuments.push(...read);
    for (const { evidence, checks } of figures) checked.set(evidence, checks);
  }
  const all = evidences.map((evidence) => ({ evidence, checks: checked.get(evidence) ?? [] }));
  const checks = (of: readonly Check[]) => [form, ...ofDocuments, ...of, ...signatures];
  if (!("statements" in file)) return { evidence: file, checks: checks(all[0]?.checks ?? []) };
  const numbers = file.statements.map(({ line }) => line);
  const lines = all.map((one, index) => ({ line: numbers[index] ?? 0, ...one }));
  return { evidence: undefined, checks: checks([]), lines };
}

/** Statements of one publication have its documents in common. */
const publicationKey = ({ publication_source: source, received_at: at, documents }: Evidence) =>
  JSON.stringify([source, at, documents.map((one) => [one.name, one.received_at, one.sha256])]);

/** Checks the statements of one publication, whose documents are read once. */
async function checkPublication(evidences: readonly Evidence[], uses: VerifyUses) {
  const read = evidences.map((evidence) => ({ evidence, figure: readFigure(evidence) }));
  const stated = read.flatMap(({ figure }) => ("reason" in figure ? [] : [figure]));
  const knownSources = uses.sources.map(({ key }) => key);
  const [first] = evidences as readonly [Evidence];
  const publication = readPublication(first, stated, { ...uses, knownSources });
  const figures: VerifiedFigure[] = [];
  for (const { evidence, figure } of read) {
    if ("reason" in figure) {
      figures.push({ evidence, checks: [fails(`the figure: ${figure.reason}`)] });
      continue;
    }
    const found = await checkDocuments(evidence, figure, publication, { ...uses, knownSources });
    const source = uses.sources.find(({ key }) => key === evidence.source);
    const publicationOf = source && publicationsOf(source, figure);
    const servedKind = source && (source.servedKind ?? "middle");
    const expected = source && expectationsOf(source, figure);
    const isKnown = (date: string) => source && isCalendarKnown(source, figure, date);
    const rule = checkRule(evidence, { ...found, publicationOf: expected, isKnown, servedKind });
    const named = checkPublisher(evidence, source);
    const times = checkTimes(evidence, uses.nowMs, publicationOf?.(evidence.published_for));
    const others = [times, ...checkRevision(evidence)];
    figures.push({ evidence, checks: [...found.checks, ...others, ...rule, ...named] });
  }
  return { bytes: publication.bytes, figures };
}

function checkRevision({ revision, source }: Evidence): readonly Check[] {
  if (revision === 1) return [];
  return [notProven(`whether ${source} has amended it: the document before is not in the file`)];
}

/** What only the operator knows: no check tells whether it is so. */
export function statedAlone({ documents, received_at, stored_at, made, revision }: Evidence) {
  const sent = [...new Set(documents.map((one) => one.received_at))].join(" and ");
  const isFetched = documents.some(({ name }) => isAddress(name));
  const arrived = isFetched ? `sent ${sent}, fetched ${received_at}` : `read ${received_at}`;
  const stored = `stored ${stored_at} as revision ${revision}`;
  return `${arrived}, ${stored}, written here ${made.at} by ${made.by}`;
}

type Placed = SourcedRate & { readonly place: number };

function readFigure(evidence: Evidence): Placed | Rejection {
  const { source, kind, published_for: date, valid_until: until, as_of: asOf } = evidence;
  const rate = parseQuotation({ ...evidence, asOf }, ANY_TIME);
  if ("reason" in rate) return rate;
  if (rate.asOf !== asOf) return { reason: `as_of ${asOf} is not as Kurs writes it` };
  const place = evidence.place.document - 1;
  return { ...rate, source, kind, date, validUntil: until ?? undefined, place };
}

function checkPublisher(
  { publisher, source: key }: Evidence,
  source: RateSource | undefined,
): readonly Check[] {
  if (source === undefined) {
    if (publisher === null) return [];
    if (isImport(key)) return [fails("an imported figure has no publisher")];
    return [notProven(`the publisher's name and terms: this Kurs does not know ${key}`)];
  }
  if (isDeepStrictEqual(publisher, publisherJson(source))) {
    return [holds(`${key} is ${source.name}, with these terms`)];
  }
  return [notProven(`the publisher's name and terms: no version of Kurs has had these of ${key}`)];
}

async function checkSignature(
  evidence: Evidence | EvidenceList,
  keys: GivenKeys | undefined,
): Promise<readonly Check[]> {
  const { signature, signing_key: key } = evidence;
  if (signature === null && key === null) return [unsigned(evidence, keys)];
  if (signature === null || key === null) {
    return [fails("it has a key without a signature, or a signature without a key")];
  }
  if (!(await isOneKey(key))) return [fails("the members of signing_key are not those of one key")];
  const right = `all of it is signed by the key ${key.kid}`;
  const wrong = "the signature is not one of this file: it was changed after it was signed";
  const checks = [(await isSigned(evidence)) ? holds(right) : fails(wrong)];
  return [...checks, checkKey(key, keys)];
}

export const NOT_SIGNED = "not signed";

function unsigned({ documents }: Evidence | EvidenceList, keys: GivenKeys | undefined): Check {
  if (keys !== undefined) return fails(`it is not signed, neither by a key in ${keys.file}`);
  const hasDocument = documents.some((one) => one.content_base64 !== null);
  const also = hasDocument ? ", its document and the SHA-256 of that too" : "";
  return notProven(`${NOT_SIGNED}: the file could have been changed by anyone who has it${also}`);
}

function checkKey(
  { kid, jwk }: NonNullable<Evidence["signing_key"]>,
  keys: GivenKeys | undefined,
): Check {
  if (keys === undefined) {
    const who = "whether the key is the operator's: anyone can make one";
    return notProven(`${who}; compare it with the published one, or pass --jwks or --key`);
  }
  return keys.publicKeys.includes(jwk.x)
    ? holds(`the key ${kid} is in ${keys.file}`)
    : fails(`the key ${kid} is not in ${keys.file}: another person may have signed it`);
}

/** The figure and its rule in one line. */
export function summarize(evidence: Evidence): string {
  const { rule, counted_from: counted, published_for: date, kind, source } = evidence;
  return `${equation(evidence)}, ${kind} figure of ${source} for ${date} (${rule} ${counted})`;
}
