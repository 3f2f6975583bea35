/**
 * Controls, invisible format characters such as bidirectional ones and zero-width spaces, and
 * line separators: everything that makes a terminal or a viewer display a different text.
 */
const invisible = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2065]/gu;

/**
 * Escapes invisible characters as JSON does (`\u202e`), so that printed JSON keeps its meaning.
 * Line feeds stay. All text that goes to a terminal, a pipe or the log passes through here.
 */
export function visible(text: string): string {
  return text.replace(invisible, escaped);
}

/** Like `visible`, but also escapes line feeds, for a text that must stay on one line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "\\u000a");
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** Untrusted text for a message: quoted, escaped and cut. */
export function quoted(text = ""): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
