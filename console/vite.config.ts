import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const API = process.env.KURS_API ?? "http://127.0.0.1:8080";

export default defineConfig({
  // Relative, so that the console works behind a proxy that puts it under a path.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    // A page's policy refuses data: scripts and styles; every asset is a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The API reference is as large as swagger-ui is.
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      input: ["index.html", "docs.html", "404.html"].map((name) => join(import.meta.dirname, name)),
    },
  },
  plugins: [compressedCopies()],
  server: {
    proxy: {
      "/v1": API,
      "/openapi.json": API,
      "/about.json": API,
      "/coverage.json": API,
      "^/docs$": { target: API, bypass: () => "/docs.html" },
    },
  },
});

/** Puts a `.br` and a `.gz` beside each file, so that the server need not compress. */
function compressedCopies(): Plugin {
  let directory = "";
  return {
    name: "compressed-copies",
    apply: "build",
    configResolved(config) {
      directory = join(config.root, config.build.outDir);
    },
    async closeBundle(error) {
      // Vite reports it: there may be no files.
      if (error !== undefined) return;
      const entries = await readdir(directory, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      await Promise.all(files.map((file) => compress(join(file.parentPath, file.name))));
    },
  };
}

async function compress(path: string): Promise<void> {
  if (![".html", ".js", ".css", ".svg"].includes(extname(path))) return;
  const bytes = await readFile(path);
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
  // 11, the maximum, saves 9 % of the largest file, and takes 2.7 s more of a first start.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
}
