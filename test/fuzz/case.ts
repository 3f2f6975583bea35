import { Draws, mixedSeed } from "../support/random.ts";
import { brokenBytes } from "./byte-mutations.ts";
import type { Cast } from "./fixtures.ts";
import { type DocumentedRequest, validRequest } from "./grammar.ts";
import { bytesOf, type Message } from "./message.ts";
import { drawMutations, type Mutation, mutated } from "./mutations.ts";

/** One request that is tried: what was right of it, and what was done to it. */
export interface Case {
  readonly index: number;
  readonly request: DocumentedRequest;
  readonly valid: Message;
  readonly mutations: readonly Mutation[];
  /** Seeds of the changes of its bytes, which come last; without any the bytes are sound. */
  readonly breaks: readonly number[];
}

const MUTATIONS_MAX = 3;
const BREAKS_MAX = 3;
const BROKEN_PART = 0.2;

/** Makes the case of a number: the same for the same seed, whatever was tried before. */
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

/** @returns the request as it is before its bytes are broken. */
export function messageOf({ request, valid, mutations }: Case, cast: Cast): Message {
  return mutated(valid, mutations, { request, cast });
}

/** @returns what is sent. */
export function sentBytes(tried: Case, cast: Cast): Buffer {
  return tried.breaks.reduce(
    (bytes, seed) => brokenBytes(bytes, new Draws(seed)),
    bytesOf(messageOf(tried, cast)),
  );
}

/** Every case that has one change less. */
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
