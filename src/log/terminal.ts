/** Escapes of JSON text that a terminal would act on, and those that only quote. */
const escapes = /"stack":"(?:[^"\\]|\\.)*"|\\(?:["\\/]|u[0-9a-fA-F]{4}|[bfnrt])/g;

/**
 * Makes log lines readable: `12:00:00.000 WARN: a source failed {"source":"ecb"}`.
 *
 * @returns a function of whole JSON lines.
 */
export async function loadReadableLines(): Promise<(lines: string) => string> {
  const { prettyFactory } = await import("pino-pretty");
  const prettify = prettyFactory({
    colorize: false,
    singleLine: true,
    translateTime: "SYS:HH:MM:ss.l",
  });
  return (lines) =>
    lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => prettify(inert(line)))
      .join("");
}

/**
 * Escapes the escapes of a JSON line once more, so that reading it does not bring back a control
 * character that a client or a publisher sent. A stack keeps its line feeds.
 */
function inert(line: string): string {
  return line.replace(escapes, (found) => {
    if (!found.startsWith('"stack"')) return escapedAgain(found);
    return found.replace(/\\(?:["\\/n]|u[0-9a-fA-F]{4}|[bfrt])/g, (one) =>
      one === "\\n" ? one : escapedAgain(one),
    );
  });
}

/** A quotation mark, a backslash and a slash are themselves after reading. */
function escapedAgain(found: string): string {
  return /^\\["\\/]$/.test(found) ? found : `\\${found}`;
}
