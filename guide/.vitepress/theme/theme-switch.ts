import { defineComponent, h, onMounted, ref } from "vue";
import {
  keepTheme,
  nextTheme,
  onThemeElsewhere,
  shownTheme,
  showTheme,
  type Theme,
  themeIcons,
} from "../../../console/src/themes.ts";

interface Props {
  /** Whether it has place for its name, which others hear. */
  readonly isNamed: boolean;
}

/** Changes between the system's theme, light and dark: the console's choice. */
export const ThemeSwitch = defineComponent(
  ({ isNamed }: Props) => {
    const theme = ref<Theme>("system");
    const show = (next: Theme) => {
      theme.value = next;
      showTheme(next);
    };
    const change = () => {
      show(nextTheme[theme.value]);
      keepTheme(theme.value);
    };
    onMounted(() => {
      theme.value = shownTheme();
      onThemeElsewhere(show);
    });
    return () => {
      const name = `Theme: ${theme.value}`;
      const icon = h("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, [
        h("path", { d: themeIcons[theme.value] }),
      ]);
      return h("button", { type: "button", class: "theme", title: name, onClick: change }, [
        icon,
        h("span", { class: isNamed ? "" : "visually-hidden" }, name),
      ]);
    };
  },
  { props: ["isNamed"] },
);
