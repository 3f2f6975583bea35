/** `system` follows the operating system. */
export type Theme = "system" | "light" | "dark";

/**
 * Where a browser keeps the chosen theme; public/theme.js reads it when a page is loaded. A
 * preference: it says nothing about a session.
 */
const THEME_PLACE = "kurs.theme";

/** The order in which a switch changes themes. */
export const nextTheme: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

/** The paths of 16 by 16 icons. */
export const themeIcons: Record<Theme, string> = {
  system: "M8 2.5a5.5 5.5 0 1 0 0 11zm0-1a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13z",
  light:
    "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7.4.8h1.2v2.4H7.4zM7.4 12.8h1.2v2.4H7.4zM.8 7.4h2.4v1.2H.8z" +
    "M12.8 7.4h2.4v1.2h-2.4zM2.5 3.3l.8-.8L5 4.2l-.8.8zM11 11.8l.8-.8 1.7 1.7-.8.8z" +
    "M2.5 12.7 4.2 11l.8.8-1.7 1.7zM11 4.2l1.7-1.7.8.8L11.8 5z",
  dark: "M13.6 10.2A6 6 0 0 1 5.8 2.4a6 6 0 1 0 7.8 7.8z",
};

/** Shows a theme in this document. */
export function showTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset.theme;
  else dataset.theme = theme;
}

/** The theme that this document shows. */
export function shownTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** Keeps a theme for later visits and other tabs, if the browser allows that. */
export function keepTheme(theme: Theme): void {
  try {
    if (theme === "system") localStorage.removeItem(THEME_PLACE);
    else localStorage.setItem(THEME_PLACE, theme);
  } catch {
    // The browser blocks storage: the theme lasts as long as this page.
  }
}

/** Calls back with the choice in another tab: a browser tells a page only of changes by others. */
export function onThemeElsewhere(listener: (theme: Theme) => void): void {
  addEventListener("storage", ({ key, newValue }) => {
    if (key !== THEME_PLACE && key !== null) return;
    listener(newValue === "light" || newValue === "dark" ? newValue : "system");
  });
}
