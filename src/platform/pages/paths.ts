/**
 * The paths of the console's pages: the server sends the same document for each, and its script
 * shows the page. One segment each, so that the document's relative URLs stay valid.
 */
export const consolePages = [
  "/",
  "/signup",
  "/login",
  "/verify",
  "/forgot",
  "/reset",
  "/coverage",
  "/docs",
  "/home",
  "/rates",
  "/source",
  "/keys",
  "/usage",
  "/activity",
  "/sources",
  "/try",
  "/agents",
  "/account",
] as const;

/** Where the documentation site is, as it is built; a proxy may put a path before it. */
export const GUIDE_PATH = "/guide/";

export type ConsolePage = (typeof consolePages)[number];
