import type { ComponentChildren } from "preact";
import { Bar } from "./bar.tsx";
import { QuotaBanner } from "./quota-banner.tsx";

/** The frame of every page: the bar, a link that skips it, and the warning about the quota. */
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
      <QuotaBanner />
    </>
  );
}
