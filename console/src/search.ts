import type { Choice } from "./coverage.ts";

/** What a pair is found by. */
export interface NamedPair {
  readonly base: string;
  readonly quote: string;
  readonly base_name: string | null;
  readonly quote_name: string | null;
}

/** The words of a text, each after a space, without case, accents and full widths: ` sao tome`. */
function wordsOf(text: string): string {
  const bare = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  // Unicode has no accent for the stroke of these letters: złoty, føroyska.
  const plain = bare.replaceAll("ł", "l").replaceAll("ø", "o");
  return plain.replace(/[^\p{L}\p{N}]+/gu, " ").replace(/^ ?/, " ");
}

const wordsOfPair = new WeakMap<NamedPair, string>();

/** The words by which a pair is found: its symbols, together and alone, and their names. */
function searchable(pair: NamedPair): string {
  const known = wordsOfPair.get(pair);
  if (known !== undefined) return known;
  const { base, quote, base_name, quote_name } = pair;
  const words = wordsOf(`${base} ${quote} ${base}${quote} ${base_name ?? ""} ${quote_name ?? ""}`);
  wordsOfPair.set(pair, words);
  return words;
}

function beginningsIn(search: string): readonly string[] {
  return wordsOf(search)
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => ` ${word}`);
}

/**
 * Finds the pairs in which every word of a search begins a symbol or a word of a name. Those whose
 * base the search begins with come first.
 */
export function findPairs<Pair extends NamedPair>(
  pairs: readonly Pair[],
  search: string,
): readonly Pair[] {
  const beginnings = beginningsIn(search);
  const [first] = beginnings;
  // Signs alone, such as €, begin no word.
  if (first === undefined) return search.trim() === "" ? pairs : [];
  const found = pairs.filter((pair) => {
    const words = searchable(pair);
    return beginnings.every((beginning) => words.includes(beginning));
  });
  const isFirst = ({ base }: NamedPair) => ` ${base.toLowerCase()}`.startsWith(first);
  return [...found.filter(isFirst), ...found.filter((pair) => !isFirst(pair))];
}

/** Whether every word of a search begins a word of a text. */
export function isFoundIn(text: string, search: string): boolean {
  const words = wordsOf(text);
  return beginningsIn(search).every((beginning) => words.includes(beginning));
}

/** A symbol as the service reads it. */
export function normalized(text: string): string {
  return text.trim().toUpperCase();
}

/** Those that a text begins or names; symbols that it begins come first. */
export function matching(choices: readonly Choice[], text: string): readonly Choice[] {
  const beginning = normalized(text);
  const bySymbol = choices.filter(({ symbol }) => symbol.startsWith(beginning));
  const byName = choices.filter(
    ({ symbol, name }) => name !== null && !symbol.startsWith(beginning) && isFoundIn(name, text),
  );
  return [...bySymbol, ...byName];
}
