import { effect, signal } from "@preact/signals";
import type { Rate } from "./api/rates.ts";
import { nameOf } from "./coverage.ts";
import { session } from "./session.ts";

/** A rate that the owner has read, and paid for, on the page "Try it". */
export interface Figure {
  readonly rate: string;
  /** RFC 3339. */
  readonly readAt: string;
}

/** The last figure read of each pair, by `EUR/USD`: only in memory, until the tab is closed. */
export const figuresRead = signal<ReadonlyMap<string, Figure>>(new Map());

export function keepFigure(rate: Rate): void {
  // A response may arrive after the log-out.
  if (session.peek() === undefined) return;
  const figure = { rate: rate.rate, readAt: new Date().toISOString() };
  figuresRead.value = new Map(figuresRead.peek()).set(nameOf(rate), figure);
}

effect(() => {
  if (session.value === undefined) figuresRead.value = new Map();
});
