import type { AuditEvent } from "../../platform/audit/rules.ts";
import type { StoredFigure } from "../../rates/series/store.ts";
import { isImport, type SourcedRate } from "../../rates/served/rules/update-policy.ts";
import type { DocumentReader, FigurePosition, ReadDocument } from "./document-reader.ts";
import type { Observation, StoredDocument } from "./observations.ts";
import { type HistoryUses, readEvents } from "./served-at.ts";

/** A longer story is cut: `kurs rates history` has the rest. */
const STORY_MAX = 50;

/** Where a figure came from, and what happened to its pair since. */
export interface Trace {
  readonly observation: Observation;
  readonly origin: FigureOrigin;
  /** In the order of their times. */
  readonly story: readonly StoryEntry[];
  /** How many further entries the story has. */
  readonly furtherEntries: number;
}

/** What the store knows about the document of a figure. */
export type FigureOrigin =
  /** The store has lost its publication or its document's name. */
  | { readonly kind: "missing" }
  | { readonly kind: "imported"; readonly document: StoredDocument; readonly line: number }
  | {
      readonly kind: "published";
      readonly receivedAt: string;
      readonly document: StoredDocument;
      /** Where the document states the figure. */
      readonly position: FigurePosition | UnknownPosition;
    };

/** Why it is not known where a document states a figure. */
interface UnknownPosition {
  readonly problem: string;
  /** Whether the document states the figure all the same. */
  readonly isStated: boolean;
}

/** A figure, and where it came from. */
export interface TracedFigure {
  readonly figure: StoredFigure;
  readonly origin: FigureOrigin;
}

/** An event of the pair, or an observation that followed. */
export type StoryEntry =
  | { readonly at: string; readonly event: AuditEvent }
  | { readonly at: string; readonly observation: Observation };

/** Traces an observation to its document, and tells what happened to its pair since. */
export async function traceObservation(
  uses: HistoryUses & { readonly documents: DocumentReader },
  observation: Observation,
): Promise<Trace> {
  const [origin = MISSING] = await findOrigins(uses, observation.publication, [observation]);
  return { observation, origin, ...(await readStory(uses, observation)) };
}

/** Traces a figure of a series to its document. */
export async function traceFigure(uses: OriginUses, figure: StoredFigure): Promise<TracedFigure> {
  const [traced = { figure, origin: MISSING }] = await traceFigures(uses, [figure]);
  return traced;
}

/** Traces figures of series, and reads each publication once. @returns them in their order. */
export async function traceFigures(
  uses: OriginUses,
  figures: readonly StoredFigure[],
): Promise<readonly TracedFigure[]> {
  const origins = new Map<StoredFigure, FigureOrigin>();
  for (const [id, some] of Map.groupBy(figures, ({ publication }) => publication)) {
    const found = await findOrigins(uses, id, some);
    for (const [index, figure] of some.entries()) origins.set(figure, found[index] ?? MISSING);
  }
  return figures.map((figure) => ({ figure, origin: origins.get(figure) ?? MISSING }));
}

/** Whether the document of a figure is lost or damaged, or does not state it. */
export function isContradicted({ origin }: { readonly origin: FigureOrigin }): boolean {
  if (origin.kind !== "published") return origin.kind === "missing";
  return "problem" in origin.position && !origin.position.isStated;
}

type OriginUses = Pick<HistoryUses, "history"> & { readonly documents: DocumentReader };

const MISSING = { kind: "missing" } as const;

/** Finds where some figures of a publication came from. */
async function findOrigins(
  { history, documents: reader }: OriginUses,
  id: number,
  figures: readonly SourcedRate[],
): Promise<readonly FigureOrigin[]> {
  const found = await history.publicationFrom(id);
  if (found?.id !== id) return figures.map(() => MISSING);
  const { receivedAt, source, documents } = found;
  const opened: ReadDocument[] = [];
  let problem: string | undefined;
  for (const { name, receivedAt: at, ...one } of isImport(source) ? [] : documents) {
    const content = reader.open(one);
    if (!("reason" in content)) opened.push({ name, content, receivedAt: at });
    else problem = `the document cannot be read: ${content.reason}; see kurs rates verify`;
  }
  const placed = figures.map((figure) => ({ ...figure, place: figure.place ?? 0 }));
  const searched = problem === undefined ? reader.find(source, opened, placed) : [];
  return placed.map(({ place, line = 0 }, index) => {
    const document = documents[place];
    if (document === undefined) return MISSING;
    if (isImport(source)) return { kind: "imported", document, line };
    const unread = problem === undefined ? undefined : { problem, isStated: false };
    const position = searched[index] ?? "not stated";
    const known = typeof position === "string" ? unknownPositions[position] : position;
    return { kind: "published", receivedAt, document, position: unread ?? known };
  });
}

const unknownPositions: Readonly<Record<"not stated" | "not found", UnknownPosition>> = {
  "not stated": {
    problem: "the document does not state this figure; see kurs rates verify",
    isStated: false,
  },
  "not found": {
    problem: "the document states this figure; it is too large to find the line",
    isStated: true,
  },
};

async function readStory(
  { history, audit }: HistoryUses,
  observation: Observation,
): Promise<Pick<Trace, "story" | "furtherEntries">> {
  const { sequence } = observation;
  const range = { from: undefined, to: undefined };
  const page = { after: sequence, limit: STORY_MAX, ...range };
  const later = await history.observations(observation, page);
  const entries: StoryEntry[] = later.map((one) => ({ at: one.storedAt, observation: one }));
  const { count } = await history.after(observation, sequence);
  const before = await history.observation(observation, sequence - 1);
  let events = 0;
  for await (const some of readEvents(audit, observation)) {
    for (const event of some.filter((one) => concerns(one, observation, before?.storedAt))) {
      events += 1;
      if (events <= STORY_MAX) entries.push({ at: event.at, event });
    }
  }
  entries.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  const story = entries.slice(0, STORY_MAX);
  return { story, furtherEntries: count + events - story.length };
}

/**
 * Whether an event held or released this figure, or came after it.
 *
 * @param before when the observation before it was stored: what is older concerns that one.
 */
function concerns(
  { at, action, details }: AuditEvent,
  { rate, asOf, sequence, storedAt }: Observation,
  before = "",
): boolean {
  // Those that change whether a pair is served have a number, whatever the clock says.
  if (typeof details.observation === "number") return details.observation >= sequence;
  if (at >= storedAt) return true;
  if (details.rate !== rate || details.as_of !== asOf) return false;
  // A transaction may store a rate and hold the next one.
  return action === "rate.held" ? at >= before : at > before && action !== "rate.deleted";
}
