import MiniSearch, { type SearchResult } from "minisearch";

/** The text below a heading; `passagesOf` in guide/build.ts writes them. */
interface Passage {
  /** Its place in the site. */
  readonly path: string;
  readonly titles: readonly string[];
  readonly text: string;
}

const RESULTS_MAX = 20;
/** Characters of an excerpt before and after the first word that was found. */
const BEFORE = 60;
const AFTER = 140;

/** Pages that list everything: found, but after the others; and last what was. */
const LATE = /^(?:#|decisions\/|reference\/|specification|glossary)/;
const LAST = /^changes/;

/** Words of questions that say nothing of their subject. */
const FUNCTION_WORDS = new Set(
  (
    "a about again all an and any are as at be been but by can could did do does else for from get " +
    "had has have he help her his how i if in into is it its just may me might must my need no not " +
    "now of off on or our out please s shall she should so some t than that the their them then there " +
    "these they this those to up us want was we were what when where which who whose why will " +
    "with would you your"
  ).split(" "),
);

/** An address in a command: `https` is no word of it that a reader looks for. */
const ADDRESSES = /https?:\/\/\S*/g;

/** Endings of words: "upgrade" finds "upgrading", and "historical" finds "history". */
const ENDING = /(?:ical|ies|ing|ed|es|e|s|y)$/;
const SHORTENED_LENGTH_MIN = 6;

/** The addresses of pages begin here, whatever path a proxy puts before them. */
const base = new URL("..", import.meta.url);

let index: Promise<MiniSearch | undefined> | undefined;
let passages: readonly Passage[] = [];

const dialog = document.createElement("dialog");
dialog.className = "search";
dialog.setAttribute("aria-label", "Search");
dialog.innerHTML =
  '<form method="dialog"><input type="search" aria-label="Search the guide" ' +
  'placeholder="Search the guide" autocomplete="off"><button aria-label="Close">Esc</button></form>' +
  '<p role="status"></p><ol></ol>';
document.body.append(dialog);
const input = part("input") as HTMLInputElement;
const list = part("ol");
const status = part("p");

input.addEventListener("input", () => void showResults());
// Enter opens the first result; the form would close the dialog.
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    event.preventDefault();
    list.querySelector("a")?.click();
  } else if (event.key === "ArrowDown") {
    event.preventDefault();
    list.querySelector("a")?.focus();
  }
});
list.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const links = [...list.querySelectorAll("a")];
  const place = links.indexOf(document.activeElement as HTMLAnchorElement) + step;
  (links[place] ?? input).focus();
});
// A result may be on this page: the dialog would stay. A click beside it closes it, too.
dialog.addEventListener("click", (event) => {
  const isResult = event.target instanceof Element && event.target.closest("a") !== null;
  if (isResult || event.target === dialog) dialog.close();
});

/** @param address of the passages. */
export async function openSearch(address: string): Promise<void> {
  if (!dialog.open) dialog.showModal();
  input.select();
  index ??= loadIndex(address);
  await index;
}

/** @returns undefined without the passages: a page that was open during an upgrade names others. */
async function loadIndex(address: string): Promise<MiniSearch | undefined> {
  try {
    const loaded: { readonly default: readonly Passage[] } = await import(address);
    passages = loaded.default;
  } catch {
    status.textContent = "The search cannot be loaded. Reload the page.";
    return undefined;
  }
  const search = new MiniSearch({ fields: ["title", "above", "text"], processTerm: stemOf });
  search.addAll(
    passages.map(({ titles, text }, id) => {
      const above = titles.slice(0, -1).join(" ");
      return { id, title: titles.at(-1), above, text: text.replaceAll(ADDRESSES, " ") };
    }),
  );
  return search;
}

function stemOf(term: string): string {
  const lower = term.toLowerCase();
  return lower.length < SHORTENED_LENGTH_MIN ? lower : lower.replace(ENDING, "");
}

async function showResults(): Promise<void> {
  const query = input.value;
  const search = await index;
  // A later input shows its own.
  if (search === undefined || query !== input.value) return;
  const shown = find(search, query).slice(0, RESULTS_MAX);
  list.replaceChildren(
    ...shown.map(({ id, terms }) => resultOf(passages[Number(id)] as Passage, terms)),
  );
  const advice = "Try another word for it, or fewer letters of one.";
  status.textContent =
    shown.length > 0 || query.trim() === "" ? "" : `Nothing has "${query}". ${advice}`;
}

/** Finds passages: first those with all words of the query, then those with some. */
function find(search: MiniSearch, query: string): readonly SearchResult[] {
  const words = wordsOf(query).join(" ");
  const found = search.search(words, {
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    boost: { title: 4, above: 2 },
    boostDocument: (id) => weightOf(passages[Number(id)]?.path ?? ""),
  });
  // `as_of` is two terms of the index.
  const count = words.split(/[ _]+/).length;
  const hasAll = ({ queryTerms }: SearchResult) => queryTerms.length >= count;
  return found.toSorted((one, other) => Number(hasAll(other)) - Number(hasAll(one)));
}

function weightOf(path: string): number {
  return LAST.test(path) ? 0.1 : LATE.test(path) ? 0.4 : 1;
}

/** @returns the words of a query that say what it is about; if none does, all. */
function wordsOf(query: string): readonly string[] {
  // The documents have the noun.
  const lower = query.toLowerCase().replaceAll(/\bback(?:ing)? up\b/g, "backup");
  const all = [...new Set(lower.match(/[\p{L}\p{N}_]+/gu))];
  const telling = all.filter((word) => !FUNCTION_WORDS.has(word));
  return telling.length > 0 ? telling : all;
}

function resultOf({ path, titles, text }: Passage, terms: readonly string[]): HTMLElement {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = new URL(path, base).href;
  const title = document.createElement("strong");
  title.append(...marked([...new Set(titles)].join(" › "), terms));
  const excerpt = document.createElement("span");
  excerpt.append(...marked(excerptOf(text, terms), terms));
  link.append(title, excerpt);
  item.append(link);
  return item;
}

/** The words around the first one that was found. */
function excerptOf(text: string, terms: readonly string[]): string {
  const place = Math.max(0, text.search(patternOf(terms)));
  const start = place <= BEFORE ? 0 : text.indexOf(" ", place - BEFORE) + 1;
  const end = start + BEFORE + AFTER;
  const excerpt = text
    .slice(start, end)
    .replace(/\s\S*$/, (word) => (end < text.length ? "" : word));
  return `${start > 0 ? "… " : ""}${excerpt}${end < text.length ? " …" : ""}`;
}

/** A text with the words that were found in `<mark>`. */
function marked(text: string, terms: readonly string[]): readonly Node[] {
  return text.split(patternOf(terms)).map((piece, index) => {
    if (index % 2 === 0) return document.createTextNode(piece);
    const mark = document.createElement("mark");
    mark.textContent = piece;
    return mark;
  });
}

function patternOf(terms: readonly string[]): RegExp {
  const words = terms.map((term) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(String.raw`(?<![\p{L}\p{N}])((?:${words.join("|")})[\p{L}\p{N}]*)`, "iu");
}

function part(selector: string): HTMLElement {
  return dialog.querySelector(selector) as HTMLElement;
}
