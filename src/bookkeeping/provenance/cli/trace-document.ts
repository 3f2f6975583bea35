import { CommandError } from "../../../platform/cli/command.ts";
import { formatJson } from "../../../platform/cli/output.ts";
import { counted } from "../../../platform/shared/text/counted.ts";
import { quoted } from "../../../platform/shared/text/visible-text.ts";
import { shortAsOf } from "../../../rates/served/cli/arguments.ts";
import { documentHeader } from "../../../rates/served/headers.ts";
import { type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import { documentJson, statedJson } from "../json.ts";
import type { ProvenanceCommandDeps } from "./arguments.ts";
import { field, linesOfDocument, linesOfSource } from "./origin-lines.ts";

/** A publisher that is polled may send the same bytes for a day. */
const PUBLICATIONS_MAX = 10;

const FIGURES_MAX = 50;

/** Shows the publications with a document, and with a pair its figures, the oldest first. */
export async function traceDocument(
  { openStore, sourcesOf, print }: ProvenanceCommandDeps,
  digest: string,
  pair: Pair | undefined,
  json: boolean,
): Promise<void> {
  const hash = parseDigest(digest);
  const [, header] = documentHeader(hash);
  await using store = await openStore();
  const { history } = store;
  const uses = await history.usesOf(hash, PUBLICATIONS_MAX + 1);
  const stated = pair && (await history.figuresIn(hash, pair, FIGURES_MAX + 1));
  if (uses.length === 0) {
    const hint = "compare it with the response's Rate-Document, or search a backup from that time";
    throw new CommandError(`no stored document has this SHA-256: ${hint}`);
  }
  if (pair && stated?.length === 0) {
    const hint = "leave the pair out to see how many figures it has";
    throw new CommandError(`this document has no stored figure of ${pairName(pair)}: ${hint}`);
  }
  const lines = [field("header", header)];
  const publications: object[] = [];
  for (const { publication, figures, pairs } of uses.slice(0, PUBLICATIONS_MAX)) {
    const { source = "", documents = [] } = (await history.publicationFrom(publication)) ?? {};
    for (const document of documents.filter((one) => one.hash === hash)) {
      publications.push({ publication, source, ...documentJson(document), figures, pairs });
      const brought = `${counted(figures, "figure")} of ${counted(pairs, "pair")}`;
      lines.push(
        ...linesOfSource(source, sourcesOf([source])[0]).slice(0, 1),
        ...linesOfDocument(document),
        field("stored", `${brought}, as publication ${publication}`),
      );
    }
  }
  const ofPair = stated?.slice(0, FIGURES_MAX) ?? [];
  for (const one of ofPair)
    lines.push(`  ${pairName(one)} ${one.rate} as of ${shortAsOf(one)} from ${one.source}`);
  const hasMore = uses.length > PUBLICATIONS_MAX || (stated?.length ?? 0) > FIGURES_MAX;
  if (hasMore) lines.push("and more");
  const figures = pair && { ...pair, figures: ofPair.map(statedJson) };
  const all = { document: header, publications, ...figures, has_more: hasMore };
  print(json ? formatJson(all) : lines.join("\n"));
}

/** @returns the SHA-256 in hexadecimal, as the store has it. */
function parseDigest(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  const [, base64] = /^(?:sha-256=)?:?([\w+/]{43}=):?$/.exec(text) ?? [];
  if (base64 !== undefined) return Buffer.from(base64, "base64").toString("hex");
  const form = "must be the value of Rate-Document, sha-256=:…:, or 64 hexadecimal digits";
  throw new CommandError(`--document ${quoted(text)}: ${form}`, 2);
}
