export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;

/** Replaces CR by LF where the first line ends with CR alone; elsewhere, a CR is part of a line. */
export async function* withLineFeeds(
  input: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  let last: number | undefined;
  let isReplaced: boolean | undefined;
  for await (const chunk of input) {
    for (let at = 0; isReplaced === undefined && at < chunk.length; at += 1) {
      if (last === CARRIAGE_RETURN) isReplaced = chunk[at] !== LINE_FEED;
      else if (chunk[at] === LINE_FEED) isReplaced = false;
      // The CR has left with the chunk before.
      if (isReplaced && at === 0) yield Uint8Array.of(LINE_FEED);
      last = chunk[at];
    }
    yield isReplaced ? chunk.map((byte) => (byte === CARRIAGE_RETURN ? LINE_FEED : byte)) : chunk;
  }
}
