/**
 * Rows of a list that are read and sent in one step. The embedded database blocks the event loop
 * during the step: 200 keys take 1 to 2 ms.
 */
export const PAGE_ROWS = 200;

/** The most hashes of credentials that one statement looks up. */
export const HASHES_PER_STATEMENT = 500;
