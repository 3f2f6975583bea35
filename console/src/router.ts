import { computed, signal } from "@preact/signals";
import { type ConsolePage, consolePages } from "../../src/pages/paths.ts";

/** The path that the service is under: `/`, or what a proxy has put before it. */
export const root = new URL(".", location.href).pathname;

/** Whether this document is the API reference, which is none of the console's pages. */
export const isReference = location.pathname === `${root}docs`;

const place = signal(readPlace());

/** The page that is shown. */
export const page = computed(() => place.value.page);

/** A parameter of the page's address. */
export function parameter(name: string): string | undefined {
  return new URLSearchParams(place.value.search).get(name) ?? undefined;
}

/** The address of a page, as a link has it. */
export function addressOf(target: ConsolePage, search = ""): string {
  return `${root}${target.slice(1)}${search}`;
}

/** Shows a page. With `replace`, "back" passes over the one that was left. */
export function go(target: ConsolePage, { search = "", replace = false } = {}): void {
  history[replace ? "replaceState" : "pushState"](null, "", addressOf(target, search));
  place.value = readPlace();
  scrollTo(0, 0);
}

/**
 * Takes the token out of a mail's link, and out of the address bar and the history with it, where
 * someone could see it.
 */
export function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? undefined;
  if (token !== undefined) history.replaceState(null, "", location.pathname);
  return token;
}

/** A page's name that came from outside, such as where to go after the log-in. */
export function isPage(path: string | undefined): path is ConsolePage {
  return (consolePages as readonly (string | undefined)[]).includes(path);
}

function readPlace(): { readonly page: ConsolePage; readonly search: string } {
  const path = `/${location.pathname.slice(root.length)}`;
  return { page: isPage(path) ? path : "/", search: location.search };
}

addEventListener("popstate", () => {
  place.value = readPlace();
});
