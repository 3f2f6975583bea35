/** Roles that VitePress 1.6.4 gives to its search, which screen readers cannot use, and ours. */
const CORRECTIONS = [
  // The whole window was a button, with fields and links in it.
  [
    `role="button"
      :aria-owns="results?.length ? 'localsearch-list' : undefined"
      aria-expanded="true"
      aria-haspopup="listbox"`,
    'role="dialog" aria-modal="true"',
  ],
  // Results are links in a list. They were options, which must not contain links.
  [`:role="results?.length ? 'listbox' : undefined"`, ""],
  [`:aria-selected="selectedIndex === index ? 'true' : 'false'"\n            role="option"`, ""],
  // An element without a role must not have a name: a picture of an arrow does.
  ["<kbd :aria-label", '<kbd role="img" :aria-label'],
] as const;

/**
 * Makes the search of VitePress accessible.
 *
 * @throws during the build when a later version of VitePress has other texts.
 */
export function accessibleSearch() {
  return {
    name: "accessible-search",
    enforce: "pre" as const,
    transform(code: string, id: string) {
      if (!id.endsWith("/VPLocalSearchBox.vue")) return undefined;
      return CORRECTIONS.reduce((text, [wrong, right]) => {
        if (!text.includes(wrong)) throw new Error(`VPLocalSearchBox.vue lacks ${wrong}`);
        return text.replaceAll(wrong, right);
      }, code);
    },
  };
}
