import { Draws, mixedSeed } from "../support/random.ts";
import { brokenBytes } from "./byte-mutations.ts";
import type { Cast } from "./fixtures.ts";
import { type DocumentedRequest, validRequest } from "./grammar.ts";
import { bytesOf, type Message } from "./message.ts";
import { drawMutations, type Mutation, mutated } from "./mutations.ts";

/** One request to send: a valid message and its changes. */
export interface Case {
  readonly index: number;
  readonly request: DocumentedRequest;
  readonly valid: Message;
  readonly mutations: readonly Mutation[];
  /** Seeds of the changes to its bytes, applied last; empty for well-formed bytes. */
  readonly breaks: readonly number[];
}

const MUTATIONS_MAX = 3;
const BREAKS_MAX = 3;
const BROKEN_PART = 0.2;

/** Makes the case with a number. It depends only on the seed and the number. */
export function caseOf(
  seed: number,
  index: number,
  requests: readonly DocumentedRequest[],
  cast: Cast,
): Case {
  const draw = new Draws(mixedSeed(seed, index, 2));
  const request = draw.one(requests);
  const isBroken = draw.chance(BROKEN_PART);
  const valid = validRequest(request, cast, draw, isBroken ? "breaker" : "reader");
  if (!isBroken) {
    return { index, request, valid, mutations: drawMutations(draw, MUTATIONS_MAX), breaks: [] };
  }
  const count = 1 + draw.below(BREAKS_MAX);
  const breaks = Array.from({ length: count }, () => draw.below(2 ** 31));
  return { index, request, valid, mutations: [], breaks };
}

/** @returns the request before changes to its bytes. */
export function messageOf({ request, valid, mutations }: Case, cast: Cast): Message {
  return mutated(valid, mutations, { request, cast });
}

/** @returns the bytes to send. */
export function sentBytes(tried: Case, cast: Cast): Buffer {
  return tried.breaks.reduce(
    (bytes, seed) => brokenBytes(bytes, new Draws(seed)),
    bytesOf(messageOf(tried, cast)),
  );
}

/** Every case with one change fewer. */
export function simplerOnes(tried: Case): readonly Case[] {
  const without = <Item>(items: readonly Item[]) =>
    items.map((_item, index) => items.toSpliced(index, 1));
  return [
    ...without(tried.mutations).map((mutations) => ({ ...tried, mutations })),
    ...without(tried.breaks)
      .filter((breaks) => breaks.length > 0)
      .map((breaks) => ({ ...tried, breaks })),
  ];
}
