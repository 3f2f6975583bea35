import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import fastifyStatic from "@fastify/static";
import type { App } from "../http/fastify.ts";
import { pageHeaders } from "../http/headers.ts";
import { consolePages } from "./paths.ts";

/** A name holds its content's hash: what it stands for never changes. */
const ASSET_CACHING = { "cache-control": "public, max-age=31536000, immutable" };

/** Copies that the build has put beside a file, served in its place. */
const COMPRESSED = /\.(br|gz)$/;

/**
 * Serves the console and the API reference as they were built: a route for each file, so that an
 * unknown path stays the API's own 404 and another method its 405.
 *
 * @param directory where the build is. @returns false when there is none: the API works without.
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
