/**
 * Rows of a list that are read and sent in one step. The embedded database blocks the event loop
 * during the step: 200 keys take 1 to 2 ms.
 */
export const PAGE_ROWS = 200;

/**
 * Reads a list in pages of bounded size until one is not full, which may be empty.
 *
 * @param start the cursor before the first row.
 * @param read returns the rows after a cursor, at most `limit`.
 * @param pageRows the limit: only a process that serves nothing may take more.
 */
export async function* pagesOf<Row, Cursor>(
  start: Cursor,
  read: (after: Cursor, limit: number) => Promise<Row[]>,
  cursorOf: (row: Row) => Cursor,
  pageRows = PAGE_ROWS,
): AsyncGenerator<Row[], void> {
  let after = start;
  for (;;) {
    const page = await read(after, pageRows);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return;
    after = cursorOf(last);
  }
}
