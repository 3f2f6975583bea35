import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import fastifyStatic from "@fastify/static";
import type { App } from "../http/fastify.ts";
import { pageHeaders } from "../http/headers.ts";
import { consolePages } from "./paths.ts";

/** An asset's name contains the hash of its content, which therefore never changes. */
const ASSET_CACHING = { "cache-control": "public, max-age=31536000, immutable" };

/** Compressed copies of the build's files, served instead of them. */
const COMPRESSED = /\.(br|gz)$/;

/**
 * Serves the built console and API reference: one route per file, so that an unknown path gets the
 * API's own 404 and another method its 405 (docs/decisions/0008-pages-are-files-of-one-build.md).
 *
 * @param directory the build's. @returns false when there is none: the API works without it.
 */
export async function consoleRoutes(app: App, directory: string): Promise<boolean> {
  if (!existsSync(join(directory, "index.html"))) return false;
  await app.register(fastifyStatic, {
    root: directory,
    serve: false,
    preCompressed: true,
    cacheControl: false,
  });
  const serve = (url: string, file: string, headers: Readonly<Record<string, string>>) =>
    app.get(url, { schema: { hide: true }, config: { headers } }, (_request, reply) =>
      reply.sendFile(file),
    );

  for (const page of consolePages) serve(page, "index.html", pageHeaders);
  serve("/docs", "docs.html", pageHeaders);
  for (const path of await readdir(directory, { recursive: true })) {
    const file = path.split(sep).join("/");
    const isServed = /\.[a-z0-9]+$/.test(file) && !/\.html$/.test(file) && !COMPRESSED.test(file);
    if (!isServed || /\.html\./.test(file)) continue;
    const caching = file.startsWith("assets/") ? ASSET_CACHING : {};
    serve(`/${file}`, file, { ...pageHeaders, ...caching });
  }
  return true;
}
