import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DefaultTheme, defineConfig } from "vitepress";
import { GUIDE_PATH } from "../../src/platform/pages/paths.ts";
import { anchorOf } from "../pages/anchors.ts";
import { BUILT, PAGES, SIDEBAR } from "../pages/places.ts";
import { accessibleSearch } from "./accessible-search.ts";

const sidebar: unknown = JSON.parse(readFileSync(join(PAGES, SIDEBAR), "utf8"));

/** The root of the service, from any page of the site. */
const ROOT = `${GUIDE_PATH}../`;

export default defineConfig({
  base: GUIDE_PATH,
  srcDir: ".pages",
  outDir: BUILT,
  cacheDir: ".cache",
  cleanUrls: true,
  // Of the pages that links in the window lead to: more than the page itself.
  router: { prefetchLinks: false },
  // A page's policy refuses inline scripts: this one becomes a file, that for the theme is the
  // console's.
  metaChunk: true,
  appearance: false,
  transformHtml: corrected,
  vite: { plugins: [accessibleSearch()] },
  title: "Kurs",
  titleTemplate: ":title · Kurs",
  head: [
    ["meta", { name: "color-scheme", content: "light dark" }],
    ["link", { rel: "icon", type: "image/svg+xml", href: `${ROOT}favicon.svg` }],
    ["script", { src: `${ROOT}theme.js` }],
  ],
  markdown: {
    anchor: { slugify: anchorOf },
    // The usual ones have colours of a contrast below 4.5.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  themeConfig: {
    logo: "/../favicon.svg",
    logoLink: { link: ROOT, target: "_self" },
    nav: [
      { component: "ConsoleLink", props: { text: "Publishers", href: `${ROOT}coverage` } },
      { component: "ConsoleLink", props: { text: "API reference", href: `${ROOT}docs` } },
      { text: "Guide", link: "/", activeMatch: "/" },
    ],
    sidebar: sidebar as DefaultTheme.SidebarItem[],
    outline: [2, 3],
    search: { provider: "local" },
  },
});

/**
 * Removes the inline script that names a key for Macs, and gives the bar at once the class that it
 * has beside a sidebar, which VitePress adds when its script runs: the bar would jump.
 */
function corrected(html: string): string {
  return html
    .replace(/<script id="check-mac-os">.*?<\/script>/, "")
    .replace('class="VPNavBar"', 'class="VPNavBar has-sidebar"');
}
