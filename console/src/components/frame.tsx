import type { ComponentChildren } from "preact";
import { Bar } from "./bar.tsx";

/** What every page stands in: the bar, and the way past it for the keyboard. */
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
