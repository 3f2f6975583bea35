/**
 * The addresses of the console's pages: the server answers each with the same document, whose
 * program shows the page. One segment each, so that the document's relative addresses hold.
 */
export const consolePages = [
  "/",
  "/signup",
  "/login",
  "/verify",
  "/forgot",
  "/reset",
  "/keys",
  "/usage",
  "/try",
  "/agents",
] as const;

export type ConsolePage = (typeof consolePages)[number];
