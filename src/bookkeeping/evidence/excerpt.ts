/** A longer part is cut around the figure. */
const PART_CHARACTERS_MAX = 480;

/** A part of a document in one line: the figure, and what stands before and after it. */
export interface Excerpt {
  readonly before: string;
  readonly figure: string;
  readonly after: string;
}

/**
 * Finds the part of a document that states a pair's figure: its object in JSON, its element in XML,
 * its line in any other layout.
 *
 * @param at where the figure begins.
 * @param codes of the pair's currencies, one of which such a part has.
 */
export function excerptAround(
  text: string,
  at: number,
  figure: string,
  codes: readonly string[],
): Excerpt {
  const cut = (start: number, end: number): Excerpt => ({
    before: inOneLine(text.slice(start, at)).trimStart(),
    figure,
    after: inOneLine(text.slice(at + figure.length, end)).trimEnd(),
  });
  const end = text.indexOf("\n", at);
  const line = cut(text.lastIndexOf("\n", at) + 1, end === -1 ? text.length : end);
  const isXml = text.trimStart().startsWith("<");
  const around = [...(isXml ? elementsAround(text, at) : objectsAround(text, at))]
    .map(([from, to]) => cut(from, to))
    .filter(({ before, after }) => before.length + after.length < PART_CHARACTERS_MAX);
  const hasCode = ({ before, after }: Excerpt) => {
    const part = `${before} ${after}`.toUpperCase();
    return codes.some((code) => part.includes(code));
  };
  const part = around.find(hasCode) ?? (isXml ? line : (around[0] ?? line));
  const half = PART_CHARACTERS_MAX / 2;
  const { before, after } = part;
  return {
    figure,
    before: before.length > half ? `…${before.slice(-half)}` : before,
    after: after.length > half ? `${after.slice(0, half)}…` : after,
  };
}

const inOneLine = (text: string) => text.replaceAll(/\s+/g, " ");

type Range = readonly [start: number, end: number];

/** The objects of JSON around a place, the smallest first. */
function* objectsAround(text: string, at: number): Generator<Range> {
  const opened: number[] = [];
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === "{") opened.push(index);
    if (token !== "}") continue;
    const start = opened.pop() ?? 0;
    if (start < at && at < index) yield [start, index + 1];
  }
}

/** The elements of XML around a place, the smallest first. */
function* elementsAround(text: string, at: number): Generator<Range> {
  const opened: number[] = [];
  for (const { 0: tag, index } of text.matchAll(/<[\w/](?:[^>"']|"[^"]*"|'[^']*')*>/g)) {
    const isClosing = tag.startsWith("</");
    if (!isClosing) opened.push(index);
    if (!isClosing && !tag.endsWith("/>")) continue;
    const start = opened.pop() ?? 0;
    const end = index + tag.length;
    if (start < at && at < end) yield [start, end];
  }
}
