import { computed, signal } from "@preact/signals";
import { type ConsolePage, consolePages } from "../../src/platform/pages/paths.ts";

/** The document's address of a file of the service: that of the document itself says less. */
const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href;

/** The service's base path: `/`, or a prefix that a proxy adds. */
export const root = new URL(".", icon ?? location.href).pathname;

const place = signal(readPlace());

/** The page that is shown; undefined at an address that has none. */
export const page = computed(() => place.value.page);

/** A parameter of the page's address. */
export function parameter(name: string): string | undefined {
  return new URLSearchParams(place.value.search).get(name) ?? undefined;
}

/** Changes parameters of the page's address; `undefined` removes one. No entry in the history. */
export function setParameters(values: Readonly<Record<string, string | undefined>>): void {
  const parameters = new URLSearchParams(place.peek().search);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) parameters.delete(name);
    else parameters.set(name, value);
  }
  history.replaceState(null, "", location.pathname + searchOf(parameters));
  place.value = readPlace();
}

function searchOf(parameters: URLSearchParams): string {
  return parameters.size === 0 ? "" : `?${parameters}`;
}

/** The address of a page, for a link. */
export function addressOf(target: ConsolePage, search = ""): string {
  return `${root}${target.slice(1)}${search}`;
}

/** Shows a page. With `replace`, "back" skips the previous page. */
export function go(target: ConsolePage, { search = "", replace = false } = {}): void {
  history[replace ? "replaceState" : "pushState"](null, "", addressOf(target, search));
  place.value = readPlace();
  scrollTo(0, 0);
}

/** The search of the log-in's address that leads back to the current page. */
export function wayBack(): string {
  const { page: target, search } = place.peek();
  return `?next=${target}${search.replace(/^\?/, "&")}`;
}

/** Where the log-in leads back to; undefined without a page of the console. */
export function readWayBack():
  | { readonly target: ConsolePage; readonly search: string }
  | undefined {
  const parameters = new URLSearchParams(place.peek().search);
  const target = parameters.get("next") ?? undefined;
  if (!isPage(target)) return undefined;
  parameters.delete("next");
  return { target, search: searchOf(parameters) };
}

/** The token of a mail's link. It is taken out of the page's address. */
export function takeToken(): string | undefined {
  return takeFragment("token")?.get("token") ?? undefined;
}

/** The invitation in the link of its mail. */
export interface Invitation {
  readonly token: string;
  readonly email: string;
}

/** The invitation in a mail's link. It is taken out of the page's address. */
export function takeInvitation(): Invitation | undefined {
  const parts = takeFragment("invitation");
  return parts && { token: parts.get("invitation") ?? "", email: parts.get("email") ?? "" };
}

/**
 * Returns the parts of the page's fragment if they hold a secret, and removes them from the address
 * bar and the history, where others could see it.
 */
function takeFragment(secret: string): URLSearchParams | undefined {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (!parts.has(secret)) return undefined;
  history.replaceState(null, "", location.pathname);
  return parts;
}

/** Whether a text that anybody may have written names a page. */
function isPage(path: string | undefined): path is ConsolePage {
  return (consolePages as readonly (string | undefined)[]).includes(path);
}

function readPlace(): { readonly page: ConsolePage | undefined; readonly search: string } {
  const path = `/${location.pathname.slice(root.length)}`;
  return { page: isPage(path) ? path : undefined, search: location.search };
}

addEventListener("popstate", () => {
  place.value = readPlace();
});
