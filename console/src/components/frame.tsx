import type { ComponentChildren } from "preact";
import { Bar } from "./bar.tsx";

/** The frame of every page: the bar, and a link that skips it for keyboard users. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Bar />
      <main class="page" id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}
