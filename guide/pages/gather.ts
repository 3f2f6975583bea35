import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DefaultTheme } from "vitepress";
import { GUIDE_PATH } from "../../src/platform/pages/paths.ts";
import { withDiagrams } from "../diagrams/diagrams.ts";
import { referencePages } from "../reference/pages.ts";
import {
  INDEX,
  type Page,
  ROOT,
  readDocument,
  readSections,
  type Section,
} from "./index-of-documents.ts";
import { withSiteLinks } from "./links.ts";
import { PAGES, SIDEBAR, TEXTS } from "./places.ts";

/** VitePress copies these unchanged. */
const IMAGES = join(PAGES, "public/images");

type Entry = DefaultTheme.SidebarItem;

/**
 * Writes the repository's documents as the site's pages into {@link PAGES}; and into {@link TEXTS}
 * as Markdown, with a list and all in one text (https://llmstxt.org).
 *
 * @throws when a link leads to nothing, or a document has no place in the navigation.
 */
export async function gatherPages(): Promise<void> {
  for (const directory of [PAGES, TEXTS]) rmSync(directory, { recursive: true, force: true });
  const made = await referencePages();
  const sections = readSections().map((section) =>
    section.title === "Reference" ? { ...section, pages: [...section.pages, ...made] } : section,
  );
  const index: Page = { file: INDEX, path: "index", title: "Guide", description: "All documents" };
  const pages = [index, ...sections.flatMap(wholePagesOf)];

  const paths = new Map(pages.map(({ file, path }) => [file, path]));
  for (const { pages: inFolder } of sections.flatMap(({ folders }) => folders)) {
    const [first] = inFolder;
    if (first !== undefined) paths.set(`${dirname(first.file)}/`, first.path);
  }
  const addressIn = (suffix: string, base: string) => (file: string) => {
    const path = paths.get(file);
    return path === undefined ? undefined : `${base}${path}${suffix}`;
  };
  const forSite = { page: addressIn(".md", "/"), image: copyImage };
  const forReaders = {
    page: addressIn(".md", GUIDE_PATH),
    image: (file: string) => `${GUIDE_PATH}images/${basename(file)}`,
  };

  const texts = pages.map((page) => {
    const markdown = page.markdown ?? readDocument(page.file);
    const drawn = withDiagrams(markdown, page.file);
    const description = JSON.stringify(page.description);
    const head = `---\ndescription: ${description}\n---\n`;
    write(join(PAGES, `${page.path}.md`), head + withSiteLinks(drawn, page.file, forSite));
    const text = withSiteLinks(markdown, page.file, forReaders);
    write(join(TEXTS, `${page.path}.md`), text);
    return text;
  });
  write(join(TEXTS, "llms-full.txt"), texts.join("\n"));
  write(join(TEXTS, "llms.txt"), listForReaders(sections));
  write(join(PAGES, SIDEBAR), JSON.stringify(sidebar(sections)));
}

/** The pages of a section, without the entries that lead to a part of one. */
function wholePagesOf({ pages, folders }: Section): readonly Page[] {
  const all = [...pages, ...folders.flatMap((folder) => folder.pages)];
  return all.filter(({ anchor }) => anchor === undefined);
}

/** The navigation at the side of each page. */
function sidebar(sections: readonly Section[]): Entry[] {
  const entryOf = ({ title, path, anchor }: Page): Entry => {
    return { text: title, link: `/${path}${anchor === undefined ? "" : `#${anchor}`}` };
  };
  return sections.map(({ title, pages, folders }) => ({
    text: title,
    items: [
      ...pages.map(entryOf),
      ...folders.map((folder) => ({
        text: folder.title,
        // Without one the whole entry is a button, with another button in it.
        link: `/${folder.pages[0]?.path}`,
        collapsed: true,
        items: folder.pages.map(entryOf),
      })),
    ],
  }));
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

/** @returns its address in the site. */
function copyImage(file: string): string {
  const name = basename(file);
  mkdirSync(IMAGES, { recursive: true });
  copyFileSync(join(ROOT, file), join(IMAGES, name));
  return `/images/${name}`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
