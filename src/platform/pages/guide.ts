import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../http/fastify.ts";
import { pageHeaders } from "../http/headers.ts";
import { assetCaching, builtFiles } from "./files.ts";
import { GUIDE_PATH } from "./paths.ts";

/** The texts for programs that read, which they look for at the root: https://llmstxt.org */
const AT_ROOT = ["llms.txt", "llms-full.txt"];

/**
 * Serves the documentation site.
 *
 * @param publicPath the path that a proxy puts before all others: the site's addresses are
 *   absolute.
 * @returns false when it is not built.
 */
export function guideRoutes(app: App, publicPath: string): boolean {
  const { names, send } = builtFiles(
    "guide/dist",
    (name) => publicPath !== "" && /\.(?:css|html|js|md|txt)$/.test(name),
    // A function: in a text `$&` would be a pattern.
    (text) => text.replaceAll(GUIDE_PATH, () => publicPath + GUIDE_PATH),
  );
  if (!names.includes("index.html")) return false;
  // The addresses of pages have no suffix, and that of the first page no name.
  const byPath = new Map(names.map((name) => [name.replace(/(?:^index)?\.html$/, ""), name]));
  const respond = (request: FastifyRequest, reply: FastifyReply) => {
    const name = byPath.get(request.url.split("?")[0]?.slice(GUIDE_PATH.length) ?? "");
    return name === undefined ? reply.callNotFound() : send(request, reply, name);
  };

  const schema = { hide: true };
  const headers = pageHeaders;
  // A route per file would make a start 25 ms longer.
  app.get("/guide/*", { schema, config: { headers } }, respond);
  const ofAssets = { headers: { ...headers, ...assetCaching } };
  app.get("/guide/assets/*", { schema, config: ofAssets }, respond);
  app.get("/guide", { schema }, (_request, reply) => reply.redirect("guide/", 308));
  for (const name of AT_ROOT) {
    app.get(`/${name}`, { schema, config: { headers } }, (request, reply) =>
      send(request, reply, name),
    );
  }
  return true;
}
