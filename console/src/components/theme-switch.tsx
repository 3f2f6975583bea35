import { useState } from "preact/hooks";
import { chooseTheme, type Theme, theme } from "../theme.ts";

const next: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

const icons: Record<Theme, string> = {
  system: "M8 2.5a5.5 5.5 0 1 0 0 11zm0-1a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13z",
  light:
    "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7.4.8h1.2v2.4H7.4zM7.4 12.8h1.2v2.4H7.4zM.8 7.4h2.4v1.2H.8z" +
    "M12.8 7.4h2.4v1.2h-2.4zM2.5 3.3l.8-.8L5 4.2l-.8.8zM11 11.8l.8-.8 1.7 1.7-.8.8z" +
    "M2.5 12.7 4.2 11l.8.8-1.7 1.7zM11 4.2l1.7-1.7.8.8L11.8 5z",
  dark: "M13.6 10.2A6 6 0 0 1 5.8 2.4a6 6 0 1 0 7.8 7.8z",
};

/** Changes between the system's theme, light and dark. */
export function ThemeSwitch() {
  const [isChanged, setChanged] = useState(false);
  const name = `Theme: ${theme.value}`;
  const change = () => {
    chooseTheme(next[theme.value]);
    setChanged(true);
  };
  return (
    <>
      <button
        type="button"
        class="button button-quiet button-small theme"
        title={name}
        onClick={change}
      >
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d={icons[theme.value]} />
        </svg>
        <span class="theme-name">{name}</span>
      </button>
      <span class="visually-hidden" role="status">
        {isChanged ? name : null}
      </span>
    </>
  );
}
