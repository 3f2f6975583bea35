import { isDeepStrictEqual } from "node:util";
import { ANY_TIME, parseQuotation, type Rejection } from "../../rates/served/rules/rate.ts";
import { isImport, type SourcedRate } from "../../rates/served/rules/update-policy.ts";
import { expectationsOf, publicationsOf, type RateSource } from "../../rates/sources/source.ts";
import { publisherJson } from "../provenance/json.ts";
import { type Check, fails, holds, notProven } from "./check.ts";
import { checkDocuments, type DocumentUses } from "./check-document.ts";
import { checkRule } from "./check-rule.ts";
import { checkTimes } from "./check-times.ts";
import { type Evidence, equation, FORMAT, parseEvidence } from "./format.ts";
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
}

/** What became of a verification. */
export interface Verified {
  /** Undefined for a file that cannot be read. */
  readonly evidence: Evidence | undefined;
  readonly checks: readonly Check[];
}

/** Checks an evidence file by itself, without a store. */
export async function verifyEvidence(bytes: Uint8Array, uses: VerifyUses): Promise<Verified> {
  const evidence = await parseEvidence(bytes);
  if ("reason" in evidence) {
    const check = fails(`it is no evidence file: ${evidence.reason}; nothing else was checked`);
    return { evidence: undefined, checks: [check] };
  }
  const form = holds(`it is an evidence file of version ${FORMAT.version}, as Kurs writes it`);
  const signatures = await checkSignature(evidence, uses.keys);
  const figure = readFigure(evidence);
  if ("reason" in figure) {
    return { evidence, checks: [form, fails(`the figure: ${figure.reason}`), ...signatures] };
  }
  const knownSources = uses.sources.map(({ key }) => key);
  const read = await checkDocuments(evidence, figure, { ...uses, knownSources });
  const source = uses.sources.find(({ key }) => key === evidence.source);
  const publicationOf = source && publicationsOf(source, figure);
  const servedKind = source && (source.servedKind ?? "middle");
  const expected = source && expectationsOf(source, figure);
  const rule = checkRule(evidence, { ...read, publicationOf: expected, servedKind });
  const named = checkPublisher(evidence, source);
  const times = checkTimes(evidence, publicationOf?.(evidence.published_for));
  return { evidence, checks: [form, ...read.checks, times, ...rule, ...named, ...signatures] };
}

function readFigure(evidence: Evidence): SourcedRate | Rejection {
  const { source, kind, published_for: date, valid_until: until, as_of: asOf } = evidence;
  const rate = parseQuotation({ ...evidence, asOf }, ANY_TIME);
  if ("reason" in rate) return rate;
  if (rate.asOf !== asOf) return { reason: `as_of ${asOf} is not as Kurs writes it` };
  return { ...rate, source, kind, date, validUntil: until ?? undefined };
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
  evidence: Evidence,
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

function unsigned({ documents }: Evidence, keys: GivenKeys | undefined): Check {
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
