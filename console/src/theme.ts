import { signal } from "@preact/signals";
import { keepTheme, onThemeElsewhere, shownTheme, showTheme, type Theme } from "./themes.ts";

export const theme = signal<Theme>(shownTheme());

/** Applies a theme, and keeps it for later visits and other tabs if the browser allows that. */
export function chooseTheme(next: Theme): void {
  show(next);
  keepTheme(next);
}

onThemeElsewhere(show);

function show(next: Theme): void {
  theme.value = next;
  showTheme(next);
}
