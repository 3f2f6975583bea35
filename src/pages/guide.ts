import type { App } from "../http/fastify.ts";
import { pageHeaders } from "../http/headers.ts";
import { builtFiles } from "./files.ts";

/** The site's address as it is built. */
const BASE = "/guide/";

/** The texts for programs that read, which they look for at the root: https://llmstxt.org */
const AT_ROOT = ["llms.txt", "llms-full.txt"];

const policy = pageHeaders["content-security-policy"];

/** Its code is coloured by attributes of elements, which cannot name another resource. */
const guideHeaders = {
  ...pageHeaders,
  "content-security-policy": `${policy}; style-src-attr 'unsafe-inline'`,
};

/**
 * Serves the documentation site, if it is built.
 *
 * @param publicPath the path that a proxy puts before all others: the site's addresses are
 *   absolute.
 */
export function guideRoutes(app: App, publicPath: string): void {
  const { names, serve } = builtFiles(app, "guide/dist", guideHeaders, {
    isRewritten: (name) => publicPath !== "" && /\.(?:css|html|js|md|txt)$/.test(name),
    rewrite: (text) => text.replaceAll(BASE, publicPath + BASE),
  });
  if (!names.includes("index.html")) return;
  serve(BASE, "index.html");
  app.get("/guide", { schema: { hide: true } }, (_request, reply) => reply.redirect("guide/", 308));
  for (const name of names) {
    // The links between pages are without the suffix.
    serve(AT_ROOT.includes(name) ? `/${name}` : BASE + name.replace(/\.html$/, ""), name);
  }
}
