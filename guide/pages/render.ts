import { Marked, type Tokens } from "marked";
import { type Language, tokensOf } from "../../console/src/highlight.ts";
import { escaped } from "../diagrams/escape.ts";
import { anchorOf } from "./anchors.ts";

/** A heading of a page. */
interface Heading {
  readonly depth: number;
  /** As HTML. */
  readonly html: string;
  readonly anchor: string;
}

/** The text from one heading to the next, for the search. */
interface Passage {
  /** The headings above it, the page's first, and its own last. */
  readonly titles: readonly string[];
  readonly anchor: string;
  readonly text: string;
}

/** A document as HTML. */
export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly passages: readonly Passage[];
}

/** The names of languages in documents. */
const languages: Readonly<Record<string, Language>> = {
  js: "typescript",
  json: "json",
  python: "python",
  sh: "shell",
  ts: "typescript",
};

const HEADING = /<h([1-4]) id="([^"]*)">(.*?)<\/h\1>/g;

/** Renders a document, whose links lead to pages of the site. */
export function renderMarkdown(markdown: string): Rendered {
  const anchors = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = anchorOf(text);
        const count = anchors.get(anchor) ?? 0;
        anchors.set(anchor, count + 1);
        const id = count === 0 ? anchor : `${anchor}-${count}`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code: ({ text, lang }) => codeBlock(text, lang ?? ""),
      table({ header, rows }) {
        const cells = (row: readonly Tokens.TableCell[]) =>
          row.map(({ tokens }) => this.parser.parseInline(tokens));
        return table(cells(header), rows.map(cells));
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  const headings = [...html.matchAll(HEADING)].map(([, depth, anchor = "", inner = ""]) => {
    return { depth: Number(depth), html: inner, anchor };
  });
  const withLinks = html.replaceAll(
    HEADING,
    `<h$1 id="$2">$3 <a class="anchor" href="#$2" aria-label="Link to this section">#</a></h$1>`,
  );
  return { html: withLinks, headings, passages: passagesOf(html, headings) };
}

/** A frame for the button that copies, and a text that scrolls by keyboard, too. */
function codeBlock(text: string, language: string): string {
  const known = languages[language];
  const tokens = known === undefined ? [{ kind: undefined, text }] : tokensOf(text, known);
  const code = tokens.map((token) => {
    const shown = escaped(token.text);
    return token.kind === undefined ? shown : `<span class="token-${token.kind}">${shown}</span>`;
  });
  return `<div class="code"><pre tabindex="0"><code>${code.join("")}</code></pre></div>\n`;
}

/**
 * A table whose rows become blocks in a narrow window, each cell with its column's name. The roles
 * are those that elements of a table lose when they are shown as blocks.
 */
function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = header.map((cell) => `<th role="columnheader" scope="col">${cell}</th>`).join("");
  const body = rows.map((row) => {
    const cells = row.map((cell, column) => {
      const name = column === 0 ? "" : escaped(textOf(header[column] ?? ""));
      return `<td role="cell"${name === "" ? "" : ` data-column="${name}"`}>${cell}</td>`;
    });
    return `<tr role="row">${cells.join("")}</tr>`;
  });
  return (
    `<div class="table" tabindex="0"><table role="table"><thead role="rowgroup"><tr role="row">` +
    `${head}</tr></thead><tbody role="rowgroup">${body.join("\n")}</tbody></table></div>\n`
  );
}

function passagesOf(html: string, headings: readonly Heading[]): readonly Passage[] {
  // Of `split` with three groups, the text after each heading.
  const texts = html.split(HEADING).filter((_part, index) => index % 4 === 0);
  const above: string[] = [];
  return headings.map(({ depth, html: title, anchor }, index) => {
    above.length = depth - 1;
    above[depth - 1] = textOf(title);
    return {
      titles: above.filter((one) => one !== undefined),
      anchor,
      text: textOf(texts[index + 1] ?? ""),
    };
  });
}

/** What a reader sees of HTML. */
function textOf(html: string): string {
  return html
    .replaceAll(/<svg[\s\S]*?<\/svg>|<!--[\s\S]*?-->/g, " ")
    .replaceAll(/<\/?(?:a|code|em|strong|span|del)\b[^>]*>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim();
}
