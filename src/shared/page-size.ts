/**
 * Rows of a list that are read and sent in one step. The embedded database blocks the event loop
 * during the step: 200 keys take 1 to 2 ms.
 */
export const PAGE_ROWS = 200;
