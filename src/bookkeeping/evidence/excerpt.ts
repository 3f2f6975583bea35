/** A longer part is cut around the figure. */
const PART_CHARACTERS_MAX = 480;

/**
 * Finds the part of a document that states a pair's figure: its object in JSON, its element in XML,
 * its line in any other layout.
 *
 * @param at where the figure begins.
 * @param codes of the pair's currencies, one of which such a part has.
 * @returns what stands before and after the figure, in one line.
 */
export function excerptAround(
  text: string,
  at: number,
  figure: string,
  codes: readonly string[],
): readonly [before: string, after: string] {
  const cut = ([start, end]: Range) => [
    inOneLine(text.slice(start, at)).trimStart(),
    inOneLine(text.slice(at + figure.length, end)).trimEnd(),
  ];
  const feed = text.indexOf("\n", at);
  const line = cut([text.lastIndexOf("\n", at) + 1, feed === -1 ? text.length : feed]);
  const parts = [...partsAround(text, at)].map(cut).filter(isShort);
  const hasCode = (part: readonly string[]) =>
    codes.some((code) => part.join(" ").toUpperCase().includes(code));
  const [before = "", after = ""] = [...parts, line].find(hasCode) ?? parts[0] ?? line;
  const half = PART_CHARACTERS_MAX / 2;
  return [
    before.length > half ? `…${before.slice(-half)}` : before,
    after.length > half ? `${after.slice(0, half)}…` : after,
  ];
}

const inOneLine = (text: string) => text.replaceAll(/\s+/g, " ");

const isShort = (part: readonly string[]) => part.join("").length < PART_CHARACTERS_MAX;

type Range = readonly [start: number, end: number];

/** The elements of XML or objects of JSON around a place, the smallest first. */
function* partsAround(text: string, at: number): Generator<Range> {
  const isXml = text.trimStart().startsWith("<");
  const tokens = isXml ? /<[\w/](?:[^>"']|"[^"]*"|'[^']*')*>/g : /"(?:[^"\\]|\\.)*"|[{}]/g;
  const opened: number[] = [];
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (/^(?:<\w|\{)/.test(token)) opened.push(index);
    if (!/^(?:<\/|\}|<.*\/>$)/s.test(token)) continue;
    const start = opened.pop() ?? 0;
    const end = index + token.length;
    if (start < at && at < end) yield [start, end];
  }
}
