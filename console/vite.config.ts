import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { compressFiles } from "../scripts/compress-files.js";

const API = process.env.KURS_API ?? "http://127.0.0.1:8080";

export default defineConfig({
  // Relative, so that the console works behind a proxy that puts it under a path.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    // A page's policy refuses data: scripts and styles; every asset is a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // On a slow machine it prints warnings that tell a person who starts Kurs nothing.
      checks: { bundlerTimings: false },
    },
  },
  plugins: [compressedCopies()],
  server: {
    proxy: {
      "/v1": API,
      "/openapi.json": API,
      "/about.json": API,
      "/coverage.json": API,
      "/guide": API,
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
      await compressFiles(directory);
    },
  };
}
