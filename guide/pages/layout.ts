import { GUIDE_PATH } from "../../src/platform/pages/paths.ts";
import { escaped } from "../diagrams/escape.ts";
import { addressOf, type SitePage } from "./gather.ts";
import type { Page, Section } from "./index-of-documents.ts";

/** The root of the service, from any page of the site. */
const ROOT = `${GUIDE_PATH}../`;

/** The addresses of the site's parts. */
export interface Assets {
  readonly style: string;
  readonly script: string;
  /** What the search loads when it opens. */
  readonly passages: string;
}

const icon = (path: string) =>
  `<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg>`;

const MENU = icon("M2 3.5h12v1.2H2zm0 4h12v1.2H2zm0 4h12v1.2H2z");
const LENS = icon(
  "M6.8 1.8a5 5 0 0 1 4 8L14 13l-1 1-3.2-3.2a5 5 0 1 1-3-9zm0 1.3a3.7 3.7 0 1 0 0 7.4 3.7 3.7 0 0 0 0-7.4z",
);

/** A page of the site as a document. */
export function documentOf(
  page: SitePage,
  near: { readonly previous: Page | undefined; readonly next: Page | undefined },
  sections: readonly Section[],
  assets: Assets,
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(page.description)}">
<title>${escaped(page.title)} · Kurs</title>
<script src="${ROOT}theme.js"></script>
<link rel="icon" type="image/svg+xml" href="${ROOT}favicon.svg">
<link rel="stylesheet" href="${assets.style}">
<script type="module" src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header class="bar">
<button type="button" class="menu-button" popovertarget="documents" aria-label="Documents">${MENU}</button>
<a class="brand" href="${ROOT}"><img src="${ROOT}favicon.svg" width="26" height="26" alt="">Kurs</a>
<button type="button" class="search-button" data-passages="${assets.passages}">${LENS}<span>Search</span><kbd aria-hidden="true">/</kbd></button>
<nav class="places" aria-label="Kurs">
<a href="${ROOT}coverage">Publishers</a>
<a href="${ROOT}docs">API reference</a>
<a href="${GUIDE_PATH}"${page.path === "index" ? ' aria-current="page"' : ' class="current"'}>Guide</a>
</nav>
<button type="button" class="theme" title="Theme: system">${icon("")}<span class="visually-hidden">Theme: system</span></button>
</header>
<div class="frame">
<nav class="side documents" id="documents" popover aria-label="Documents">
${sections.map((section) => sectionOf(section, page)).join("\n")}
</nav>
<main id="content" tabindex="-1">
${page.html}${neighbors(near)}
</main>
${outline(page)}
</div>
</body>
</html>
`;
}

/** A section of the navigation. A folder is open on its own pages. */
function sectionOf({ title, pages, folders }: Section, shown: SitePage): string {
  const closed = folders.map((folder) => {
    const open = folder.pages.some(({ path }) => path === shown.path) ? " open" : "";
    const summary = `<summary>${escaped(folder.title)}</summary>`;
    return `<li><details${open}>${summary}${listOf(folder.pages, shown)}</details></li>`;
  });
  return `<h2>${escaped(title)}</h2>\n${listOf(pages, shown, closed.join("\n"))}`;
}

function listOf(pages: readonly Page[], shown: SitePage, others = ""): string {
  const entries = pages.map(({ title, path, anchor }) => {
    const isShown = path === shown.path && anchor === undefined;
    const place = anchor === undefined ? "" : `#${anchor}`;
    const current = isShown ? ' aria-current="page"' : "";
    return `<li><a href="${addressOf(path)}${place}"${current}>${escaped(title)}</a></li>`;
  });
  return `<ul>\n${entries.join("\n")}${others}</ul>`;
}

function neighbors({ previous, next }: Parameters<typeof documentOf>[1]): string {
  const link = (page: Page | undefined, rel: "prev" | "next", word: string) =>
    page === undefined
      ? "<span></span>"
      : `<a rel="${rel}" href="${addressOf(page.path)}"><span>${word}</span>${escaped(page.title)}</a>`;
  return (
    `<nav class="neighbors" aria-label="Before and after">` +
    `${link(previous, "prev", "Previous")}${link(next, "next", "Next")}</nav>`
  );
}

/** The headings of a page, which a wide window shows beside it. */
function outline({ headings }: SitePage): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return "";
  const entries = shown.map(({ depth, html, anchor }) => {
    const text = html.replaceAll(/<\/?a\b[^>]*>/g, "");
    return `<li><a${depth > 2 ? ' class="deep"' : ""} href="#${anchor}">${text}</a></li>`;
  });
  return (
    `<nav class="side outline" aria-label="On this page"><h2>On this page</h2>` +
    `<ul>${entries.join("\n")}</ul></nav>`
  );
}
