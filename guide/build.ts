// Builds the documentation site into guide/dist: `npm run guide`. A link that leads to nothing and
// an asset of another host make the build fail.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { compressFiles } from "../scripts/compress-files.js";
import { GUIDE_PATH } from "../src/platform/pages/paths.ts";
import { externalAssets } from "./pages/external-assets.ts";
import { type Contents, gatherContents } from "./pages/gather.ts";
import { ROOT } from "./pages/index-of-documents.ts";
import { documentOf } from "./pages/layout.ts";

const site = join(import.meta.dirname, "dist");
/** Where the site is built, until all of it is there: a build that stops leaves the site as it was. */
const built = join(import.meta.dirname, ".cache/dist");
const styles = ["../console/src/styles/tokens.css", "../console/src/styles/code-colors.css"];

rmSync(built, { recursive: true, force: true });
const [contents, script] = await Promise.all([gatherContents(), bundleScript()]);
writeSite(contents, {
  style: writeAsset(
    "site.css",
    [...styles, "diagrams/diagrams.css", "site/site.css"]
      .map((path) => readFileSync(join(import.meta.dirname, path), "utf8"))
      .join("\n"),
  ),
  script,
  passages: writeAsset("passages.js", `export default ${JSON.stringify(passagesOf(contents))};`),
});
const external = externalAssets(built);
if (external.length > 0) throw new Error(`assets of other hosts:\n${external.join("\n")}`);
await compressFiles(built);
rmSync(site, { recursive: true, force: true });
renameSync(built, site);

/** @returns the address of the script that each page loads; it loads that of the search. */
async function bundleScript(): Promise<string> {
  const bundle = await rolldown({
    cwd: join(import.meta.dirname, "site"),
    input: { app: "app.ts" },
    platform: "browser",
    logLevel: "warn",
  });
  const names = { entryFileNames: "[name].[hash].js", chunkFileNames: "[name].[hash].js" };
  const { output } = await bundle.write({ dir: join(built, "assets"), minify: true, ...names });
  await bundle.close();
  return `${GUIDE_PATH}assets/${output[0].fileName}`;
}

function writeSite(
  { sections, pages, images, list }: Contents,
  assets: Parameters<typeof documentOf>[3],
) {
  for (const [index, page] of pages.entries()) {
    const near = { previous: pages[index - 1], next: pages[index + 1] };
    write(`${page.path}.html`, documentOf(page, near, sections, assets));
    write(`${page.path}.md`, page.text);
  }
  write("llms.txt", list);
  write("llms-full.txt", pages.map(({ text }) => text).join("\n"));
  for (const [name, file] of images) {
    mkdirSync(join(built, "images"), { recursive: true });
    cpSync(join(ROOT, file), join(built, "images", name));
  }
}

/** What the search finds: each passage with the page's path, name and description. */
function passagesOf({ pages }: Contents) {
  return pages.flatMap(({ path, title, description, passages }) =>
    passages.map(({ titles, anchor, text }, index) => {
      const place = path === "index" ? "" : path;
      return index === 0
        ? { path: place, titles: [title, ...titles], text: `${description}. ${text}` }
        : { path: `${place}#${anchor}`, titles: [title, ...titles.slice(1)], text };
    }),
  );
}

/** @returns its address, which contains the hash of its content. */
function writeAsset(name: string, text: string): string {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const path = `assets/${name.replace(".", `.${hash}.`)}`;
  write(path, text);
  return `${GUIDE_PATH}${path}`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(built, path)), { recursive: true });
  writeFileSync(join(built, path), text);
}
