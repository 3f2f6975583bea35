import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { ROOT } from "./index-of-documents.ts";

/**
 * A fenced block or code in a text, also over the end of a line, in which nothing is a link; or
 * `[text](target)`, and with `!` before it an image. Whichever begins first: a link's text may be
 * code.
 */
const CODE_OR_LINK = new RegExp(
  [/^ *```[\s\S]*?^ *```$|`[^`]+`/, /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/]
    .map(({ source }) => source)
    .join("|"),
  "gm",
);

/** Where a document's links lead to. Files are named by their paths from the repository's root. */
export interface Targets {
  /** @returns the address of a page; undefined when the file is none. */
  readonly page: (file: string) => string | undefined;
  /** @returns the address of an image. */
  readonly image: (file: string) => string;
}

/**
 * Writes a document's links, which lead to files of the repository, as links to pages of the site. A
 * link to a file that is no page becomes its text: who reads the site may have no clone.
 *
 * @param file the document's path from the repository's root.
 * @throws when a link leads to nothing.
 */
export function withSiteLinks(markdown: string, file: string, { page, image }: Targets): string {
  return markdown.replaceAll(
    CODE_OR_LINK,
    (whole: string, mark: string, label: string, target: string | undefined) => {
      if (target === undefined || /^(?:\w+:|#)/.test(target)) return whole;
      const [path = "", anchor] = target.split("#");
      const found = normalize(join(dirname(file), path));
      if (mark === "!") return `![${label}](${image(found)})`;
      const address = page(found);
      const place = anchor === undefined ? "" : `#${anchor}`;
      if (address !== undefined) return `[${label}](${address}${place})`;
      if (existsSync(join(ROOT, found))) return label;
      throw new Error(`${file}: the link ${whole} leads nowhere`);
    },
  );
}
