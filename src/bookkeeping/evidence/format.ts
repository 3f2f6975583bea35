import type { Static, TProperties } from "typebox";
import { orNull, Type } from "../../platform/shared/json-schema.ts";
import { visible } from "../../platform/shared/text/visible-text.ts";
import type { Rejection } from "../../rates/served/rules/rate.ts";
import { periods, rateRules } from "../applicable-rates/rules.ts";

// The file that says where a figure on an invoice came from (docs/operating/evidence.md). A person
// who opens it reads the figure at its beginning; the documents are at its end.

/** Of this format. A change that an older Kurs would read wrongly gets another number. */
const VERSION = 1;

/** An object without further members: the file states nothing that a verification does not know. */
const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

const Text = Type.String();
const Day = Type.String({ format: "date" });
const Instant = Type.String({ format: "date-time" });
/** To the millisecond; a leap second is none. */
const Time = Type.String({ format: "date-time", pattern: "^.{16}:[0-5][0-9]\\.[0-9]{3}Z$" });
const AssetCode = Type.String({ pattern: "^[A-Z0-9]{2,10}$" });
const Count = Type.Integer({ minimum: 1 });
const Kind = Type.Enum(["middle", "buying", "selling"] as const);
const Rule = Type.Enum(rateRules);

const PresetSchema = closed({
  name: Text,
  purpose: Text,
  source: Text,
  rule: Rule,
  period: orNull(Type.Enum(periods)),
  base: Type.Optional(AssetCode),
  quote: Type.Optional(AssetCode),
  law: Text,
  says: Text,
  read_at: Text,
  read_on: Text,
});

const PublisherSchema = closed({ name: Text, country: Text, terms: Text, terms_url: orNull(Text) });

const PlaceSchema = closed({
  document: Count,
  line: orNull(Count),
  column: orNull(Count),
  figure: orNull(Text),
  text: orNull(Text),
  table: Type.Optional(Text),
});

const documentProperties = {
  name: Text,
  received_at: Time,
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
  content_base64: orNull(Text),
};

const DocumentSchema = closed(documentProperties);

const SigningKeySchema = closed({
  kid: Text,
  jwk: closed({ kty: Type.Literal("OKP"), crv: Type.Literal("Ed25519"), x: Text }),
  spki_base64: Text,
  note: Text,
});

/** What is stated of one figure. */
const statement = {
  base: AssetCode,
  quote: AssetCode,
  rate: Type.String({ pattern: "^(0|[1-9][0-9]*)(\\.[0-9]+)?$" }),
  kind: Kind,
  source: Text,
  as_of: Instant,
  asked: Day,
  rule: Rule,
  rule_in_words: Text,
  counted_from: Day,
  published_for: Day,
  valid_until: orNull(Day),
  revision: Count,
  accepted_gaps: Type.Array(Day),
  is_calendar_known: Type.Boolean(),
  preset: orNull(PresetSchema),
  publisher: orNull(PublisherSchema),
  stored_at: Time,
  received_at: Time,
  place: PlaceSchema,
  publication_source: Text,
};

const ending = {
  made: closed({ at: Time, by: Type.String({ pattern: "^Kurs [0-9][0-9A-Za-z.+-]*$" }) }),
  signing_key: orNull(SigningKeySchema),
  signature: orNull(Text),
};

const EvidenceSchema = closed({
  format: Type.Literal("kurs-evidence"),
  version: Type.Literal(VERSION),
  ...statement,
  documents: Type.Array(DocumentSchema, { minItems: 1 }),
  ...ending,
});

const { name, received_at, ...content } = documentProperties;

/** Of a list of dates and pairs: a statement for each line, and the bytes of each document once. */
const ListSchema = closed({
  format: Type.Literal("kurs-evidence-list"),
  version: Type.Literal(VERSION),
  statements: Type.Array(
    closed({
      line: Count,
      ...statement,
      documents: Type.Array(closed({ name, received_at, document: Count }), { minItems: 1 }),
    }),
    { minItems: 1 },
  ),
  documents: Type.Array(closed(content), { minItems: 1 }),
  ...ending,
});

/** What an evidence file states. Times are RFC 3339 in UTC, dates are the publisher's own. */
export type Evidence = Static<typeof EvidenceSchema>;

export type EvidenceList = Static<typeof ListSchema>;

export type EvidenceDocument = Static<typeof DocumentSchema>;

export const FORMAT = { format: "kurs-evidence", version: VERSION } as const;

const LIST_FORMAT = { format: "kurs-evidence-list", version: VERSION } as const;

/**
 * The only form of an evidence file, so that no byte of it is without a meaning: two spaces for
 * each level, a line feed at the end, and invisible characters escaped.
 */
export function serialize(evidence: Evidence | EvidenceList): string {
  return `${visible(JSON.stringify(evidence, undefined, 2))}\n`;
}

/** Reads an evidence file. @returns the reason if it is none, or not in its only form. */
export async function parseEvidence(
  bytes: Uint8Array,
): Promise<Evidence | EvidenceList | Rejection> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return { reason: "it is no JSON in UTF-8" };
  }
  const { format, version } = Object(json) as Readonly<Record<string, unknown>>;
  const isList = format === LIST_FORMAT.format;
  if (!isList && format !== FORMAT.format) return { reason: 'it has no "format": "kurs-evidence"' };
  if (version !== VERSION) {
    return { reason: `its version is ${JSON.stringify(version)}: this Kurs reads ${VERSION}` };
  }
  const { Compile } = await import("typebox/schema");
  const schema = isList ? Compile(ListSchema) : Compile(EvidenceSchema);
  if (!schema.Check(json)) {
    const [, [error] = []] = schema.Errors(json);
    const place = error?.instancePath || "the file";
    return { reason: `${place} is not as in version ${VERSION}: ${error?.message}` };
  }
  if (!Buffer.from(serialize(json)).equals(bytes)) {
    return { reason: "its bytes are not in the form that Kurs writes: it was changed" };
  }
  const reason = findUnnumbered(json);
  return reason === undefined ? json : { reason };
}

/** Why the numbers of documents in a file are not those of its documents. */
function findUnnumbered(file: Evidence | EvidenceList): string | undefined {
  const placed = "statements" in file ? file.statements : [file];
  const lost = placed.find(({ place, documents }) => place.document > documents.length);
  if (lost) return `place.document is ${lost.place.document}: it has no such document`;
  if (!("statements" in file)) return undefined;
  const lines = file.statements.map(({ line }) => line);
  if (lines.some((line, index) => line <= (lines[index - 1] ?? 0))) {
    return "its lines are not in their order, each once";
  }
  const used = new Set(file.statements.flatMap((one) => one.documents.map((of) => of.document)));
  const hashes = new Set(file.documents.map(({ sha256 }) => sha256));
  const isEach = file.documents.every((_, index) => used.has(index + 1));
  if (isEach && used.size === file.documents.length && hashes.size === used.size) return undefined;
  return "its documents are not those of its lines, each once";
}

/** What a file states of each figure, as the evidence of that one alone. */
export function evidencesIn(file: Evidence | EvidenceList): readonly Evidence[] {
  if (!("statements" in file)) return [file];
  const { statements, documents: contents, made, signing_key, signature } = file;
  return statements.map(({ line: _, documents: named, ...stated }) => {
    const documents = named.flatMap(({ document, ...names }) => {
      const found = contents[document - 1];
      return found === undefined ? [] : [{ ...names, ...found }];
    });
    return { ...FORMAT, ...stated, documents, made, signing_key, signature };
  });
}

/** Joins the evidence of several lines, unsigned. */
export function joinEvidence(
  lines: readonly { readonly line: number; readonly evidence: Unsigned }[],
  made: Evidence["made"],
): Omit<EvidenceList, "signing_key" | "signature"> {
  const contents = new Map<string, EvidenceList["documents"][number]>();
  const statements = lines.map(({ line, evidence }) => {
    const { format: _, version: __, made: ___, documents, ...stated } = evidence;
    const named = documents.map(({ name, received_at, ...content }) => {
      contents.set(content.sha256, content);
      return { name, received_at, document: [...contents.keys()].indexOf(content.sha256) + 1 };
    });
    return { line, ...stated, documents: named };
  });
  return { ...LIST_FORMAT, statements, documents: [...contents.values()], made };
}

/** What is known of a figure, before it is signed. */
export type Unsigned = Omit<Evidence, "signing_key" | "signature">;

/** The figure in words: `1 EUR = 4.2571 PLN`. */
export const equation = ({ base, quote, rate }: Pick<Evidence, "base" | "quote" | "rate">) =>
  `1 ${base} = ${rate} ${quote}`;

/** The bytes of the document that states the figure; undefined without them. */
export function decodeContent({ content_base64: content }: EvidenceDocument): Buffer | undefined {
  return content === null ? undefined : Buffer.from(content, "base64");
}
