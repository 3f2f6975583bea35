import type { ComponentChildren } from "preact";

interface ScrollProps {
  /** A name of the content, for keyboard and screen-reader users. */
  readonly name: string;
  readonly children: ComponentChildren;
}

/** Content that may be wider than the window: it scrolls separately, also with the keyboard. */
export function Scroll({ name, children }: ScrollProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must reach what scrolls
    <section class="scroll" tabIndex={0} aria-label={name}>
      {children}
    </section>
  );
}
