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

const DocumentSchema = closed({
  name: Text,
  received_at: Time,
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
  content_base64: orNull(Text),
});

const SigningKeySchema = closed({
  kid: Text,
  jwk: closed({ kty: Type.Literal("OKP"), crv: Type.Literal("Ed25519"), x: Text }),
  spki_base64: Text,
  note: Text,
});

const EvidenceSchema = closed({
  format: Type.Literal("kurs-evidence"),
  version: Type.Literal(VERSION),
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
  documents: Type.Array(DocumentSchema, { minItems: 1 }),
  made: closed({ at: Time, by: Type.String({ pattern: "^Kurs [0-9][0-9A-Za-z.+-]*$" }) }),
  signing_key: orNull(SigningKeySchema),
  signature: orNull(Text),
});

/** What an evidence file states. Times are RFC 3339 in UTC, dates are the publisher's own. */
export type Evidence = Static<typeof EvidenceSchema>;

export type EvidenceDocument = Static<typeof DocumentSchema>;

export const FORMAT = { format: "kurs-evidence", version: VERSION } as const;

/**
 * The only form of an evidence file, so that no byte of it is without a meaning: two spaces for
 * each level, a line feed at the end, and invisible characters escaped.
 */
export function serialize(evidence: Evidence): string {
  return `${visible(JSON.stringify(evidence, undefined, 2))}\n`;
}

/** Reads an evidence file. @returns the reason if it is none, or not in its only form. */
export async function parseEvidence(bytes: Uint8Array): Promise<Evidence | Rejection> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return { reason: "it is no JSON in UTF-8" };
  }
  const { format, version } = Object(json) as Readonly<Record<string, unknown>>;
  if (format !== FORMAT.format) return { reason: 'it has no "format": "kurs-evidence"' };
  if (version !== VERSION) {
    return { reason: `its version is ${JSON.stringify(version)}: this Kurs reads ${VERSION}` };
  }
  const { Compile } = await import("typebox/schema");
  const schema = Compile(EvidenceSchema);
  if (!schema.Check(json)) {
    const [, [error] = []] = schema.Errors(json);
    const place = error?.instancePath || "the file";
    return { reason: `${place} is not as in version ${VERSION}: ${error?.message}` };
  }
  if (!Buffer.from(serialize(json)).equals(bytes)) {
    return { reason: "its bytes are not in the form that Kurs writes: it was changed" };
  }
  if (json.place.document > json.documents.length) {
    return { reason: `place.document is ${json.place.document}: it has no such document` };
  }
  return json;
}

/** The figure in words: `1 EUR = 4.2571 PLN`. */
export const equation = ({ base, quote, rate }: Pick<Evidence, "base" | "quote" | "rate">) =>
  `1 ${base} = ${rate} ${quote}`;

/** The bytes of the document that states the figure; undefined without them. */
export function decodeContent({ content_base64: content }: EvidenceDocument): Buffer | undefined {
  return content === null ? undefined : Buffer.from(content, "base64");
}
