import { h } from "vue";

/** A link of the bar to a page of the console, which is not this site's. */
export function ConsoleLink({ text, href }: { readonly text: string; readonly href: string }) {
  return h("a", { class: "console-link", href, target: "_self" }, text);
}
ConsoleLink.props = ["text", "href"];
