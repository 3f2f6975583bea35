import { join } from "node:path";

/** What VitePress builds the site from: made anew by each build. */
export const PAGES = join(import.meta.dirname, "../.pages");

/** The same for programs that read, which the site has beside its pages. */
export const TEXTS = join(import.meta.dirname, "../.texts");

/** The file in {@link PAGES} with the sidebar. */
export const SIDEBAR = "sidebar.json";

/** Where the site is built, until all of it is there. */
export const BUILT = join(import.meta.dirname, "../.cache/dist");
