import { extname } from "node:path";
import type { App } from "../http/fastify.ts";
import { pageHeaders } from "../http/headers.ts";
import { assetCaching, builtFiles } from "./files.ts";
import { consolePages } from "./paths.ts";
import { isBuiltWith, type PageSettings, withSettings } from "./settings.ts";

/**
 * Serves the built console: one route per file, so that an unknown path gets the
 * API's own 404 and another method its 405 (docs/decisions/0008-pages-are-files-of-one-build.md).
 *
 * @param settings what the documents tell the console.
 * @returns false when the console is not built: the API works without it.
 */
export function consoleRoutes(app: App, settings: PageSettings): boolean {
  const { names, send } = builtFiles(
    "console/dist",
    // A document of less than 1 kB is not worth compressing again.
    (name) => extname(name) === ".html" && !isBuiltWith(settings),
    (document) => withSettings(document, settings),
  );
  if (!names.includes("index.html")) return false;
  const serve = (url: string, name: string) => {
    const caching = name.startsWith("assets/") ? assetCaching : {};
    const config = { headers: { ...pageHeaders, ...caching } };
    app.get(url, { schema: { hide: true }, config }, (request, reply) =>
      send(request, reply, name),
    );
  };
  for (const page of consolePages) serve(page, "index.html");
  // People type it as the address of a folder.
  app.get("/docs/", { schema: { hide: true } }, (_request, reply) =>
    reply.redirect("../docs", 308),
  );
  for (const name of names) if (extname(name) !== ".html") serve(`/${name}`, name);
  return true;
}
