import type { AuditEvent } from "../../platform/audit/rules.ts";
import { type Decimal, isEqual, isLess, subtract } from "../../platform/shared/decimal.ts";
import type {
  ContradictedFigure,
  Series,
  SeriesReads,
  StoredFigure,
} from "../../rates/series/store.ts";
import { explainHeld } from "../applicable-rates/not-known.ts";
import { readFigures } from "../provenance/figures.ts";
import { type HistoryUses, readEvents } from "../provenance/served-at.ts";

/** A figure as it was booked, by the publisher's own date. */
export interface UsedFigure extends Series, Pick<StoredFigure, "date" | "rate"> {
  /** Whether figures of its kind are served: no others are held for a jump. */
  readonly isOfServedKind: boolean;
}

export const outcomes = [
  ...(["unchanged", "amended", "held", "contradicted", "withdrawn"] as const),
  ...(["differs", "not stored", "not checked"] as const),
];

/** What became of a figure since it was booked. */
export interface Rechecked {
  readonly outcome: (typeof outcomes)[number];
  /** For a person; "" where it is unchanged. */
  readonly reason: string;
  /** The revision that was booked, and the one that counts now. */
  readonly used?: StoredFigure | undefined;
  readonly now?: StoredFigure | undefined;
  /** By how much that is more: exact, and perhaps below zero. */
  readonly difference?: string | undefined;
  /** The figures of the date that contradict each other. */
  readonly stated?: readonly ContradictedFigure[];
}

interface Reads extends HistoryUses {
  readonly series: SeriesReads;
}

/** Compares a booked figure with what the store has by now. */
export async function recheck(store: Reads, asked: UsedFigure): Promise<Rechecked> {
  const isUsed = ({ rate }: Pick<StoredFigure, "rate">) => isEqual(rate, asked.rate);
  const figures = await figuresOn(store.series, asked);
  // A date may have several times, each with revisions: the booked figure may be of any.
  const times = [...Map.groupBy(figures, ({ asOf }) => asOf).values()];
  const revisions =
    times.find((all) => all.slice(-1).some(isUsed)) ?? times.findLast((all) => all.some(isUsed));
  const used = revisions?.findLast(isUsed);
  const now = (revisions ?? figures).at(-1);
  const isLast = now !== undefined && isUsed(now);
  const difference = now && !isLast ? differenceOf(now.rate, asked.rate) : undefined;
  const stated = await store.series.contradictedOn(asked, asked.date);
  const as = (outcome: Rechecked["outcome"], reason = "") => {
    return { outcome, reason, used, now, difference, stated };
  };

  const why = now && asked.isOfServedKind ? await store.series.whyHeld(now) : undefined;
  if (isLast && why !== undefined) return as("held", explainHeld(now, why));
  // Of a document that contradicts itself several wait.
  const [waiting, ...others] = stated.filter(({ decision }) => decision === "held");
  if (waiting !== undefined && others.length === 0) {
    const { hash = "not known", rate } = waiting;
    return as("held", `document ${hash} states ${rate}, and it is held: kurs rates held shows it`);
  }

  const isAmended = used !== undefined && difference !== undefined;
  // A figure that was dropped may be stated and released again.
  const isDropped = !isLast && stated.some((one) => one.decision === "dropped" && isUsed(one));
  const isDecided = isAmended || (now === undefined ? stated.length === 0 : !isDropped);
  if (isDropped && stated.length === 1) {
    const { hash = "not known" } = stated[0] ?? {};
    return as("withdrawn", `the operator dropped it where it was held: document ${hash}`);
  }
  if (!isDecided || stated.some(({ decision }) => decision === "held")) {
    const rates = stated.map(({ rate, decision }) => `${rate} (${decision})`).join(" and ");
    return as("contradicted", `document ${stated[0]?.hash ?? "not known"} states ${rates}`);
  }
  if (used !== undefined && !isAmended) {
    const withdrawal = await findWithdrawal(store, used);
    return withdrawal === undefined ? as("unchanged") : as("withdrawn", withdrawal);
  }
  if (now && why !== undefined) return as("held", explainHeld(now, why));
  const elsewhere = used === undefined ? await findElsewhere(store.series, asked) : "";
  if (now === undefined) {
    const before = await store.series.figureOnOrBefore(asked, asked.date);
    const { base, quote, source } = asked;
    const last = before
      ? `the last one before is ${before.rate} for ${before.date}`
      : `${source} has none before: kurs rates list ${base} ${quote} shows the series`;
    return as("not stored", `no figure is stored for this date; ${last}${elsewhere}`);
  }
  const change = `${now.rate} now, a difference of ${difference}: ${originOf(now)}`;
  if (used === undefined) return as("differs", `${change}${elsewhere}`);
  return as("amended", `${change}; used: ${originOf(used)}`);
}

/** The figures of a date, by time and revision. */
async function figuresOn(reads: SeriesReads, { date, ...series }: Series & { date: string }) {
  return (await Array.fromAsync(readFigures(reads, series, { from: date, to: date }))).flat();
}

const differenceOf = (now: Decimal, used: Decimal) =>
  isLess(now, used) ? `-${subtract(used, now)}` : subtract(now, used);

const originOf = ({ revision, storedAt, hash = "not known" }: StoredFigure) =>
  `revision ${revision}, stored ${storedAt}, document ${hash}`;

/** Names the other series of the pair that have exactly this figure for its date. */
async function findElsewhere(reads: SeriesReads, { date, rate, ...own }: UsedFigure) {
  const names: string[] = [];
  for (const other of await reads.seriesOf(own)) {
    if (other.source === own.source && other.kind === own.kind) continue;
    const figures = await figuresOn(reads, { ...other, date });
    if (figures.some((one) => isEqual(one.rate, rate))) names.push(`${other.source} ${other.kind}`);
  }
  return names.length === 0 ? "" : `; exactly this figure is in ${names.join(" and ")}`;
}

/** Finds when the operator deleted a served figure, unless it was served again since. */
async function findWithdrawal({ audit, history }: Reads, figure: StoredFigure) {
  const { source, rate, asOf } = figure;
  let event: AuditEvent | undefined;
  for await (const page of readEvents(audit, figure)) {
    const isWithdrawal = ({ action, details: of }: AuditEvent) =>
      action === "rate.deleted" && of.source === source && of.rate === rate && of.as_of === asOf;
    event = page.findLast(isWithdrawal) ?? event;
  }
  if (event === undefined) return undefined;
  const { at } = event;
  const page = { from: asOf, to: asOf, after: 0, limit: 200 };
  const isServedAgain = (await history.observations(figure, page)).some(
    (one) => one.source === source && one.rate === rate && one.storedAt > at,
  );
  if (isServedAgain) return undefined;
  return `the operator deleted it at ${at}: ${originOf(figure)}`;
}
