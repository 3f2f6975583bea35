import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** An element that a browser loads something for; a link in the text is none. */
const IN_HTML =
  /<(?:script|img|link|source|iframe|video|audio)\b[^>]*?(?:src|href|srcset)="(?:https?:)?\/\/[^"]*"/g;

const IN_STYLES = /(?:url\(\s*["']?|@import\s+["'])(?:https?:)?\/\/[^)"']*/g;

/**
 * What a built site would load from other hosts: a reader may have no network beyond the service,
 * and need not tell others what it reads.
 *
 * @returns a line for each, with the file's name.
 */
export function externalAssets(site: string): readonly string[] {
  const find = (pattern: string, asset: RegExp) =>
    globSync(pattern, { cwd: site }).flatMap((name) =>
      [...readFileSync(join(site, name), "utf8").matchAll(asset)].map(
        ([text]) => `${name}: ${text}`,
      ),
    );
  return [...find("**/*.html", IN_HTML), ...find("**/*.css", IN_STYLES)];
}
