import { extname } from "node:path";
import { accepts } from "../http/accept.ts";
import type { App } from "../http/fastify.ts";
import { pageHeaders } from "../http/headers.ts";
import { programFilesIn, readProgramFile } from "../shared/program/program-files.ts";
import { consolePages } from "./paths.ts";
import { isBuiltWith, type PageSettings, withSettings } from "./settings.ts";

const DIRECTORY = "console/dist";

/** An asset's name contains the hash of its content, which therefore never changes. */
const ASSET_CACHING = { "cache-control": "public, max-age=31536000, immutable" };

/** The files that a browser may ask for by name; pages have paths of their own. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The codings that the build puts beside a file, the smallest first, with their suffixes. */
const CODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/**
 * Serves the built console and API reference: one route per file, so that an unknown path gets the
 * API's own 404 and another method its 405 (docs/decisions/0008-pages-are-files-of-one-build.md).
 * Files are read when they are first requested, and kept: the single executable has no directory to
 * serve them from.
 *
 * @param settings what the documents tell the console.
 * @returns false when the console is not built: the API works without it.
 */
export function consoleRoutes(app: App, settings: PageSettings): boolean {
  const files = new Set(programFilesIn(DIRECTORY));
  if (!files.has("index.html")) return false;
  const contents = new Map<string, Buffer>();
  const contentOf = (file: string): Buffer => {
    const content = contents.get(file) ?? readFile(file);
    contents.set(file, content);
    return content;
  };
  /** A document of less than 1 kB is not worth compressing again. */
  const isRewritten = (file: string) => extname(file) === ".html" && !isBuiltWith(settings);
  const readFile = (file: string): Buffer => {
    const content = readProgramFile(`${DIRECTORY}/${file}`);
    if (!isRewritten(file)) return content;
    return Buffer.from(withSettings(content.toString(), settings));
  };

  const serve = (url: string, file: string, headers: Readonly<Record<string, string>>) => {
    const codings = isRewritten(file)
      ? []
      : CODINGS.filter(([, suffix]) => files.has(file + suffix));
    const type = MEDIA_TYPES[extname(file)];
    app.get(url, { schema: { hide: true }, config: { headers } }, (request, reply) => {
      const accepted = request.headers["accept-encoding"] ?? "";
      const [coding, suffix = ""] = codings.find(([name]) => accepts(accepted, name)) ?? [];
      reply.headers({ vary: "Accept-Encoding, Origin", "content-type": type });
      if (coding !== undefined) reply.header("content-encoding", coding);
      return reply.send(contentOf(file + suffix));
    });
  };

  for (const page of consolePages) serve(page, "index.html", pageHeaders);
  serve("/docs", "docs.html", pageHeaders);
  for (const file of files) {
    const extension = extname(file);
    if (extension === ".html" || MEDIA_TYPES[extension] === undefined) continue;
    const caching = file.startsWith("assets/") ? ASSET_CACHING : {};
    serve(`/${file}`, file, { ...pageHeaders, ...caching });
  }
  return true;
}
