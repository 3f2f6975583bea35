// Builds the documentation site into guide/dist: `npm run guide`. A link that leads to nothing and
// an asset of another host make the build fail.
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "vitepress";
import { compressFiles } from "../scripts/compress-files.js";
import { externalAssets } from "./pages/external-assets.ts";
import { gatherPages } from "./pages/gather.ts";
import { TEXTS } from "./pages/places.ts";

const site = join(import.meta.dirname, "dist");

await gatherPages();
await build(import.meta.dirname);
const external = externalAssets(site);
if (external.length > 0) throw new Error(`assets of other hosts:\n${external.join("\n")}`);
// The console's page for unknown addresses is for those below /guide, too.
rmSync(join(site, "404.html"));
cpSync(TEXTS, site, { recursive: true });
await compressFiles(site);
