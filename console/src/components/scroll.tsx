import type { ComponentChildren } from "preact";

interface ScrollProps {
  /** What it holds, for those who come to it by keyboard. */
  readonly name: string;
  readonly children: ComponentChildren;
}

/** What may be wider than the window scrolls by itself, with the keyboard too. */
export function Scroll({ name, children }: ScrollProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label={name}>
      {children}
    </section>
  );
}
