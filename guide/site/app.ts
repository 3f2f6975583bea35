// What a page of the guide does besides showing its text: the theme, copying code, the search.
import { copy } from "../../console/src/copy.ts";
import {
  keepTheme,
  nextTheme,
  onThemeElsewhere,
  shownTheme,
  showTheme,
  type Theme,
  themeIcons,
} from "../../console/src/themes.ts";

const COPIED_MS = 2000;

/** The service's address in the documents: in the second form as a client's, not as an operator's. */
const SERVICE = /http:\/\/127\.0\.0\.1:8080|https:\/\/rates\.example\.org(?=\/v1\/|")/g;

offerThemes(element("button.theme"));
for (const block of document.querySelectorAll<HTMLElement>(".code")) {
  nameService(block);
  offerCopy(block);
}
offerSearch(element("button.search-button"));
showPlace(element("#documents"));

/** An element that every page has. */
function element(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (found === null) throw new Error(`the page has no ${selector}`);
  return found;
}

/** Scrolls the list of documents, which is longer than most windows, to the page that is shown. */
function showPlace(list: HTMLElement): void {
  const shown = list.querySelector<HTMLElement>("[aria-current]");
  if (shown !== null) list.scrollTop = shown.offsetTop - list.clientHeight / 2;
}

function offerThemes(button: HTMLElement): void {
  const show = (theme: Theme) => {
    showTheme(theme);
    button.title = `Theme: ${theme}`;
    button.querySelector("path")?.setAttribute("d", themeIcons[theme]);
    const name = button.querySelector("span");
    if (name !== null) name.textContent = button.title;
  };
  button.addEventListener("click", () => {
    const theme = nextTheme[shownTheme()];
    show(theme);
    keepTheme(theme);
  });
  onThemeElsewhere(show);
  show(shownTheme());
}

/** Writes the service's address, as this page was reached, into commands: they work when pasted. */
function nameService(block: HTMLElement): void {
  const address = new URL("../..", import.meta.url).href.replace(/\/$/, "");
  const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    text.data = text.data.replaceAll(SERVICE, () => address);
  }
}

function offerCopy(block: HTMLElement): void {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const isCopied = await copy(block.querySelector("code")?.textContent ?? "");
    button.textContent = isCopied ? "Copied" : "Select it and copy";
    setTimeout(() => {
      button.textContent = "Copy";
    }, COPIED_MS);
  });
  block.append(button);
}

/** Loads the search when a reader wants it: by its button, `/` or Ctrl-K. */
function offerSearch(button: HTMLElement): void {
  const open = async () => {
    const { openSearch } = await import("./search.ts");
    await openSearch(button.dataset.passages ?? "");
  };
  button.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const isSlash =
      event.key === "/" && event.target instanceof HTMLElement && !isField(event.target);
    if (!isSlash && !(event.key === "k" && (event.ctrlKey || event.metaKey))) return;
    event.preventDefault();
    void open();
  });
}

function isField(target: HTMLElement): boolean {
  return target.closest("input, textarea, select") !== null;
}
