import type { ComponentChildren } from "preact";
import type { ConsolePage } from "../../../src/pages/paths.ts";
import { addressOf, go, isReference } from "../router.ts";

interface LinkProps {
  readonly to: ConsolePage;
  readonly class?: string;
  /** Whether it leads to the current page. */
  readonly isCurrent?: boolean;
  readonly children: ComponentChildren;
}

/** A link to a page of the console, shown without loading another document. */
export function Link({ to, class: look = "", isCurrent = false, children }: LinkProps) {
  const follow = (event: MouseEvent) => {
    // The browser handles clicks for a new tab or window, and links to another document.
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
    if (!isPlain || isReference) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a
      class={look}
      href={addressOf(to)}
      aria-current={isCurrent ? "page" : undefined}
      onClick={follow}
    >
      {children}
    </a>
  );
}
