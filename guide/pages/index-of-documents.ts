import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, "../..");

/** The document whose sections and links are the site's navigation. */
export const INDEX = "docs/README.md";

/** A document of the repository, as a page of the site. */
export interface Page {
  /** Its path from the repository's root, such as `docs/operating/mail.md`. */
  readonly file: string;
  /** Its path in the site without a suffix, such as `operating/mail`. */
  readonly path: string;
  /** Its name in the navigation. */
  readonly title: string;
  /** A sentence on what it says, for search engines and llms.txt. */
  readonly description: string;
  /** Of a part of a page, which the navigation also leads to. */
  readonly anchor?: string;
  /** Its text, when it is made from the program and no file has it. */
  readonly markdown?: string;
}

/** The pages for one kind of reader. */
export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
  /** Folders of pages, each closed until a reader opens it. */
  readonly folders: readonly Folder[];
}

interface Folder {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** `- [Mail](operating/mail.md): the mail server` */
const ENTRY = /^- \[([^\]]+)\]\(([^)]+)\): (.+)$/;

/** Documents outside docs/ that have no path in the site by their own. */
const OTHER_PATHS: Readonly<Record<string, string>> = {
  [INDEX]: "index",
  "README.md": "overview",
  "CHANGELOG.md": "changes",
  "CONTRIBUTING.md": "contributing",
  "SECURITY.md": "reporting-a-vulnerability",
};

/**
 * Reads the navigation from the list of documents.
 *
 * @throws when a line of a section is no entry: the site would lack a page.
 */
export function readSections(): readonly Section[] {
  const [, ...sections] = readDocument(INDEX).split(/^## /m);
  return sections.map((section) => {
    const [title = "", ...lines] = section.split("\n");
    const entries = lines.filter((line) => line !== "").map((line) => readEntry(title, line));
    return {
      title,
      pages: entries.flatMap((entry) => ("file" in entry ? [entry] : [])),
      folders: entries.flatMap((entry) => ("file" in entry ? [] : [entry])),
    };
  });
}

function readEntry(section: string, line: string): Page | Folder {
  const [, title, target, description] = ENTRY.exec(line) ?? [];
  if (title === undefined || target === undefined || description === undefined) {
    throw new Error(`${INDEX}, ${section}: want "- [Title](path): what it says", got "${line}"`);
  }
  const [path = "", anchor] = target.split("#");
  const file = normalize(join(dirname(INDEX), path));
  const page = { file, path: pathOf(file), title, description };
  if (!file.endsWith("/")) return anchor === undefined ? page : { ...page, anchor };
  const names = readdirSync(join(ROOT, file)).filter((name) => name.endsWith(".md"));
  return { title, pages: names.sort().map((name) => pageInFolder(file + name)) };
}

/** A page that the index lists with its folder: its heading says what it is. */
function pageInFolder(file: string): Page {
  const title = /^# (.+)$/m.exec(readDocument(file))?.[1] ?? file;
  return { file, path: pathOf(file), title, description: title };
}

function pathOf(file: string): string {
  const path = file.replace(/^docs\//, "").replace(/(?:\/README)?\.md$/, "");
  return OTHER_PATHS[file] ?? path;
}

/** @param file from the repository's root. */
export function readDocument(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}
