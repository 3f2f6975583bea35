import Theme from "vitepress/theme-without-fonts";
import { h } from "vue";
import "../../../console/src/styles/tokens.css";
import type { App } from "vue";
import { ConsoleLink } from "./console-link.ts";
import "../../diagrams/diagrams.css";
import "./site.css";
import { ThemeSwitch } from "./theme-switch.ts";

/** VitePress's theme in the console's colours, with the console's choice of light and dark. */
export default {
  extends: Theme,
  enhanceApp: ({ app }: { readonly app: App }) => app.component("ConsoleLink", ConsoleLink),
  Layout: () =>
    h(Theme.Layout, null, {
      "nav-bar-content-after": () => h(ThemeSwitch, { isNamed: false }),
      "nav-screen-content-after": () => h(ThemeSwitch, { isNamed: true }),
    }),
};
