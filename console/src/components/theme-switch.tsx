import { useState } from "preact/hooks";
import { chooseTheme, theme } from "../theme.ts";
import { nextTheme, themeIcons } from "../themes.ts";

/** Changes between the system's theme, light and dark. */
export function ThemeSwitch() {
  const [isChanged, setChanged] = useState(false);
  const name = `Theme: ${theme.value}`;
  const change = () => {
    chooseTheme(nextTheme[theme.value]);
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
          <path d={themeIcons[theme.value]} />
        </svg>
        <span class="theme-name">{name}</span>
      </button>
      <span class="visually-hidden" role="status">
        {isChanged ? name : null}
      </span>
    </>
  );
}
