import { renderMermaidSVG } from "beautiful-mermaid";
import { escaped } from "./escape.ts";

/** Styles with a font of another host; guide/diagrams/diagrams.css has ours. */
const STYLES = /<style>[\s\S]*?<\/style>/g;

/**
 * Draws a diagram in Mermaid's language as SVG, in the colours of the page.
 *
 * @param name what it shows, for a reader who does not see it.
 * @param number the diagram's in its page: ids in a page are unique.
 */
export function drawMermaid(source: string, name: string, number: number): string {
  const drawn = renderMermaidSVG(source)
    .replaceAll(STYLES, "")
    .replaceAll(/id="(arrowhead[\w-]*)"/g, `id="$1-${number}"`)
    .replaceAll(/url\(#(arrowhead[\w-]*)\)/g, `url(#$1-${number})`);
  const label = escaped(name);
  // The library writes its own colours and background into the style of the root.
  return drawn.replace(/<svg ([^>]*?) style="[^"]*">/, `<svg $1 role="img" aria-label="${label}">`);
}
