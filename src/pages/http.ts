import { createHash } from "node:crypto";
import { extname } from "node:path";
import { negotiate } from "@fastify/accept-negotiator";
import type { App } from "../http/fastify.ts";
import { pageHeaders } from "../http/headers.ts";
import { programFilesIn, readProgramFile } from "../shared/program-files.ts";
import { consolePages } from "./paths.ts";

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

/** The compressed copies that the build puts beside a file, the smallest first. */
const ENCODINGS = { br: ".br", gzip: ".gz" } as const;

/**
 * Serves the built console and API reference: one route per file, so that an unknown path gets the
 * API's own 404 and another method its 405 (docs/decisions/0008-pages-are-files-of-one-build.md).
 * Files are read when they are first requested, and kept: the single executable has no directory to
 * serve them from.
 *
 * @returns false when the console is not built: the API works without it.
 */
export function consoleRoutes(app: App): boolean {
  const files = new Set(programFilesIn(DIRECTORY));
  if (!files.has("index.html")) return false;
  const contents = new Map<string, Content>();
  const contentOf = (file: string): Content => {
    const known = contents.get(file) ?? createContent(readProgramFile(`${DIRECTORY}/${file}`));
    contents.set(file, known);
    return known;
  };

  const serve = (url: string, file: string, headers: Readonly<Record<string, string>>) => {
    const encodings = Object.entries(ENCODINGS).filter(([, suffix]) => files.has(file + suffix));
    const names = encodings.map(([name]) => name);
    const suffixes = new Map(encodings);
    const type = MEDIA_TYPES[extname(file)];
    app.get(url, { schema: { hide: true }, config: { headers } }, (request, reply) => {
      const encoding = negotiate(request.headers["accept-encoding"] ?? "", names);
      const { body, entityTag } = contentOf(file + (suffixes.get(encoding ?? "") ?? ""));
      reply.headers({ vary: "accept-encoding", etag: entityTag, "content-type": type });
      if (request.headers["if-none-match"] === entityTag) return reply.code(304).send();
      if (encoding !== null) reply.header("content-encoding", encoding);
      return reply.send(body);
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

interface Content {
  readonly body: Buffer;
  readonly entityTag: string;
}

function createContent(body: Buffer): Content {
  const digest = createHash("sha256").update(body).digest("base64url");
  return { body, entityTag: `"${digest.slice(0, 22)}"` };
}
