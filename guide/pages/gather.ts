import { basename, dirname } from "node:path";
import { GUIDE_PATH } from "../../src/platform/pages/paths.ts";
import { withDiagrams } from "../diagrams/diagrams.ts";
import { referencePages } from "../reference/pages.ts";
import {
  INDEX,
  type Page,
  readDocument,
  readSections,
  type Section,
} from "./index-of-documents.ts";
import { withSiteLinks } from "./links.ts";
import { type Rendered, renderMarkdown } from "./render.ts";

/** Stands for a file of the repository, which the page shows. */
const FILE = /^<!-- file: (\S+) -->$/gm;

/** A page of the site, for people and for programs that read. */
export interface SitePage extends Page, Rendered {
  /** Its Markdown, whose links lead to the Markdown of other pages. */
  readonly text: string;
}

/** All that the site says. */
export interface Contents {
  readonly sections: readonly Section[];
  /** In the order of the navigation. */
  readonly pages: readonly SitePage[];
  /** The paths of images from the repository's root, by their names. */
  readonly images: ReadonlyMap<string, string>;
  /** The list of pages for programs that read: https://llmstxt.org */
  readonly list: string;
}

/**
 * Reads the repository's documents as the site's pages.
 *
 * @throws when a link leads to nothing, or a document has no place in the navigation.
 */
export async function gatherContents(): Promise<Contents> {
  const made = await referencePages();
  const sections = readSections().map((section) =>
    section.title === "Reference" ? { ...section, pages: [...section.pages, ...made] } : section,
  );
  const index: Page = { file: INDEX, path: "index", title: "Guide", description: "All documents" };
  const all = [index, ...sections.flatMap(wholePagesOf)];

  const paths = new Map(all.map(({ file, path }) => [file, path]));
  for (const { pages: inFolder } of sections.flatMap(({ folders }) => folders)) {
    const [first] = inFolder;
    if (first !== undefined) paths.set(`${dirname(first.file)}/`, first.path);
  }
  const images = new Map<string, string>();
  const image = (file: string) => {
    images.set(basename(file), file);
    return `${GUIDE_PATH}images/${basename(file)}`;
  };
  const linksTo = (addressOf: (path: string) => string) => {
    const page = (file: string) => {
      const path = paths.get(file);
      return path === undefined ? undefined : addressOf(path);
    };
    return { page, image };
  };
  const forReaders = linksTo((path) => `${GUIDE_PATH}${path}.md`);
  const forSite = linksTo(addressOf);

  const pages = all.map((page) => {
    const markdown = (page.markdown ?? readDocument(page.file)).replaceAll(
      FILE,
      (_whole, file: string) => `\`\`\`text\n${readDocument(file)}\`\`\``,
    );
    const drawn = withDiagrams(markdown, page.file);
    return {
      ...page,
      ...renderMarkdown(withSiteLinks(drawn, page.file, forSite)),
      text: withSiteLinks(markdown, page.file, forReaders),
    };
  });
  return { sections, pages, images, list: listForReaders(sections) };
}

/** The address of a page: that of the first has no name. */
export function addressOf(path: string): string {
  return GUIDE_PATH + (path === "index" ? "" : path);
}

/** The pages of a section, without the entries that lead to a part of one. */
function wholePagesOf({ pages, folders }: Section): readonly Page[] {
  const all = [...pages, ...folders.flatMap((folder) => folder.pages)];
  return all.filter(({ anchor }) => anchor === undefined);
}

/** The list of pages for programs that read: https://llmstxt.org */
function listForReaders(sections: readonly Section[]): string {
  const [head = ""] = readDocument(INDEX).split(/^## /m);
  const [, summary = ""] = head.split(/^# .+$/m);
  const lineOf = ({ title, path, description }: Page) =>
    `- [${title}](${GUIDE_PATH}${path}.md): ${description}`;
  return [
    "# Kurs",
    `> ${summary.trim().replaceAll("\n", " ")}`,
    ...sections.map(
      (section) => `## ${section.title}\n\n${wholePagesOf(section).map(lineOf).join("\n")}`,
    ),
    "",
  ].join("\n\n");
}
