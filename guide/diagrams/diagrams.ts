import { type Bar, drawChart, magnitudeOf } from "./chart.ts";
import { drawMermaid } from "./mermaid.ts";

/** A fenced block of Mermaid. */
const MERMAID = /^```mermaid\n([\s\S]*?)^```$/gm;

/** `<!-- chart: Reads per second; column ratio -->`, and the table that must follow. */
const CHART = /^<!-- chart: (.+?); column (.+?) -->\n\n?((?:\|.*\n)*)/gm;

/**
 * Draws the diagrams of a document: blocks of Mermaid, and charts of the tables that follow a comment
 * such as `<!-- chart: Reads per second; column ratio -->`. The tables stay.
 *
 * @param file the document's path, for errors.
 * @throws when a comment precedes no table, or its table has no such column or no number in it.
 */
export function withDiagrams(markdown: string, file: string): string {
  let number = 0;
  const headingBefore = (offset: number) =>
    markdown
      .slice(0, offset)
      .match(/^#+ .+$/gm)
      ?.at(-1)
      ?.replace(/^#+ /, "") ?? file;
  const drawn = markdown.replaceAll(MERMAID, (_whole: string, source: string, offset: number) => {
    number += 1;
    return figure(drawMermaid(source, `Diagram: ${headingBefore(offset)}`, number));
  });
  return drawn.replaceAll(CHART, (whole: string, title: string, column: string, table: string) => {
    const bars = barsOf(table, column, `${file}: the chart "${title}"`);
    const comment = whole.slice(0, whole.length - table.length);
    return `${comment}${figure(drawChart(title, bars))}\n\n${table}`;
  });
}

/** On one line, which Markdown takes for HTML as a whole. A wide one scrolls, by keyboard, too. */
function figure(svg: string): string {
  return `<figure class="diagram" tabindex="0">${svg.replaceAll(/\s*\n\s*/g, " ")}</figure>`;
}

function barsOf(table: string, column: string, chart: string): readonly Bar[] {
  const [head, , ...rows] = table.trimEnd().split("\n").map(cellsOf);
  if (head === undefined || rows.length === 0) throw new Error(`${chart} has no table below it`);
  const index = head.indexOf(column);
  if (index < 1) throw new Error(`${chart}: the table has no column "${column}"`);
  return rows.map((cells) => {
    const [name = "", value = ""] = [cells[0], cells[index]];
    if (Number.isNaN(magnitudeOf(value))) throw new Error(`${chart}: "${value}" is no number`);
    return { name, value };
  });
}

/** The cells of a row, as text without marks. */
function cellsOf(row: string): readonly string[] {
  const cells = row.split("|").slice(1, -1);
  return cells.map((cell) => cell.replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, "$1").trim());
}
