import { signal } from "@preact/signals";

/** `system` follows the operating system. */
export type Theme = "system" | "light" | "dark";

/** Read by public/theme.js when a page is loaded. A preference: it says nothing about a session. */
const PLACE = "kurs.theme";

const { dataset } = document.documentElement;

export const theme = signal<Theme>((dataset.theme as Theme | undefined) ?? "system");

/** Applies a theme, and keeps it for later visits and other tabs if the browser allows that. */
export function chooseTheme(next: Theme): void {
  show(next);
  try {
    if (next === "system") localStorage.removeItem(PLACE);
    else localStorage.setItem(PLACE, next);
  } catch {
    // The browser blocks storage: the theme lasts as long as this page.
  }
}

/** Follows the choice in another tab. A browser tells a page only of changes by others. */
addEventListener("storage", ({ key, newValue }) => {
  if (key !== PLACE && key !== null) return;
  show(newValue === "light" || newValue === "dark" ? newValue : "system");
});

function show(next: Theme): void {
  theme.value = next;
  if (next === "system") delete dataset.theme;
  else dataset.theme = next;
}
