/**
 * Controls, invisible format characters such as bidirectional ones and zero-width spaces, and
 * line separators: everything that makes a terminal or a reader see another text than is there.
 */
const invisible = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2065]/gu;

/**
 * Escapes what is invisible as JSON does (`\u202e`), so that printed JSON stays the same JSON.
 * Line feeds stay. All text that leaves for a terminal, a pipe or the log passes through here.
 */
export function visible(text: string): string {
  return text.replace(invisible, escaped);
}

/** As `visible`, for a text that must stay within its line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "\\u000a");
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
