// Builds the documentation site into guide/dist: `npm run guide`. A link that leads to nothing and
// an asset of another host make the build fail.
import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "vitepress";
import { compressFiles } from "../scripts/compress-files.js";
import { externalAssets } from "./pages/external-assets.ts";
import { gatherPages } from "./pages/gather.ts";
import { BUILT, TEXTS } from "./pages/places.ts";

const site = join(import.meta.dirname, "dist");

await gatherPages();
await build(import.meta.dirname);
const external = externalAssets(BUILT);
if (external.length > 0) throw new Error(`assets of other hosts:\n${external.join("\n")}`);
// The console's page for unknown addresses is for those below /guide, too.
rmSync(join(BUILT, "404.html"));
cpSync(TEXTS, BUILT, { recursive: true });
await compressFiles(BUILT);
// A build that was interrupted leaves the site as it was.
rmSync(site, { recursive: true, force: true });
renameSync(BUILT, site);
