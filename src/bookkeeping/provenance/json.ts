import type { AuditEvent } from "../../platform/audit/rules.ts";
import { figureJson } from "../../rates/series/json.ts";
import type { SourcedRate } from "../../rates/served/rules/update-policy.ts";
import type { RateSource } from "../../rates/sources/source.ts";
import type { Difference, FigureCounts, VerifiedCounts } from "./differences.ts";
import type { Observation, StoredDocument } from "./observations.ts";
import type { ServedAt } from "./served-at.ts";
import type { FigureOrigin, StoryEntry, Trace, TracedFigure } from "./trace.ts";

// The JSON that the commands on the history print.

/** With the members of a line of NDJSON, so that `kurs rates import` reads it. */
export function observationJson(observation: Observation) {
  const { base, quote, rate, asOf, source, storedAt, hash } = observation;
  return { base, quote, rate, as_of: asOf, source, stored_at: storedAt, document: hash ?? "" };
}

export function servedAtJson(at: string, served: Exclude<ServedAt, { status: "unknown" }>) {
  const { status, observation, from, until, restore } = served;
  return {
    at,
    status,
    from,
    until: until ?? null,
    restored_at: restore?.at ?? null,
    ...recordJson(observation),
  };
}

/** Undefined for a source that this version does not know, and for an import. */
type NamedPublisher = Pick<RateSource, "name" | "country" | "terms" | "termsUrl"> | undefined;

export function traceJson(
  { observation, origin, story, furtherEntries }: Trace,
  publisher: NamedPublisher,
  suspendedSince: string | undefined,
) {
  return {
    ...recordJson(observation),
    sequence: observation.sequence,
    suspended_since: suspendedSince ?? null,
    publisher: publisherJson(publisher),
    origin: originJson(origin),
    story: story.map(storyEntryJson),
    further_entries: furtherEntries,
  };
}

export function tracedFigureJson({ figure, origin }: TracedFigure, publisher: NamedPublisher) {
  return {
    ...figureJson(figure),
    publisher: publisherJson(publisher),
    origin: originJson(origin),
  };
}

export function publisherJson(publisher: NamedPublisher) {
  if (publisher === undefined) return null;
  const { name, country, terms, termsUrl } = publisher;
  return { name, country, terms, terms_url: termsUrl ?? null };
}

/** An observation, with null for what is not known. */
function recordJson(observation: Observation) {
  return { ...observationJson(observation), document: observation.hash ?? null };
}

function originJson(origin: FigureOrigin) {
  switch (origin.kind) {
    case "missing":
      return { kind: "missing" };
    case "imported":
      return { kind: "imported", line: origin.line, ...documentJson(origin.document) };
    case "published": {
      const { receivedAt, document, position } = origin;
      const place =
        "problem" in position
          ? { line: null, problem: position.problem }
          : {
              line: position.line,
              column: position.column,
              figure: position.figure,
              text: position.text,
              table: position.table ?? null,
            };
      return {
        kind: "published",
        fetched_at: isAddress(document.name) ? receivedAt : null,
        ...documentJson(document),
        ...place,
      };
    }
  }
}

/** @param name `-` for an import from stdin, as a command takes it. */
export const documentName = (name: string) => (name === "-" ? "stdin" : name);

/** Whether a document was fetched: others are the snapshot, or files that were handed in. */
export const isAddress = (name: string) => /^https?:/.test(name);

export function documentJson({ name, receivedAt, hash, bytes }: StoredDocument) {
  return {
    name: documentName(name),
    received_at: receivedAt,
    sha256: hash ?? null,
    bytes: bytes ?? null,
  };
}

function storyEntryJson(entry: StoryEntry) {
  if ("observation" in entry) {
    const { rate, asOf, source } = entry.observation;
    return { at: entry.at, action: "rate.stored", rate, as_of: asOf, source };
  }
  return { at: entry.at, ...eventJson(entry.event) };
}

function eventJson({ action, actor, actorName, origin, details }: AuditEvent) {
  return { action, actor, actor_name: actorName ?? null, origin: origin ?? null, details };
}

export function differenceJson(difference: Difference) {
  switch (difference.kind) {
    case "figure":
    case "observation": {
      const { sequence, publication } = difference.observation;
      const record = recordJson(difference.observation);
      return {
        kind: difference.kind,
        ...record,
        sequence,
        publication,
        ...problemJson(difference),
      };
    }
    // Its own member "kind" says which kind of figure it is.
    case "series":
    case "origin": {
      const { kind, figure } = difference;
      const { publication = null } = figure;
      return { kind, figure: figureJson(figure), publication, ...problemJson(difference) };
    }
    case "document": {
      const { kind, publication, document, reason } = difference;
      const { id, source } = publication;
      return { kind, publication: id, source, ...(document && documentJson(document)), reason };
    }
    case "served": {
      const { served, last } = difference;
      const { base, quote, sequence } = served;
      const lastRate = last && { ...statedJson(last), sequence: last.sequence };
      return {
        kind: "served",
        base,
        quote,
        ...statedJson(served),
        sequence,
        last: lastRate ?? null,
      };
    }
    case "headers": {
      const { rate, headers } = difference;
      return { kind: "headers", base: rate.base, quote: rate.quote, source: rate.source, headers };
    }
  }
}

/** Why a figure is reported, or what its document states in place of it; null if nothing. */
function problemJson(
  problem: { readonly reason: string } | { readonly stated: SourcedRate | undefined },
) {
  if ("reason" in problem) return { reason: problem.reason };
  return { stated: problem.stated === undefined ? null : statedJson(problem.stated) };
}

export const statedJson = ({ rate, asOf, source }: SourcedRate) => ({ rate, as_of: asOf, source });

export function verifiedJson(counts: VerifiedCounts) {
  const { documents, series } = counts;
  const unstored = [...counts.unstored.values()].map(({ source, keys, from, to }) => {
    return { source, figures: keys.size, from, to };
  });
  return { ...countsJson(counts), documents, series: countsJson(series), unstored };
}

function countsJson({ figures, imported, unverified }: FigureCounts) {
  return {
    verified_figures: figures,
    imported_figures: imported,
    unverified_figures: unverified,
  };
}
