import type { ComponentChildren } from "preact";
import type { ConsolePage } from "../../../src/platform/pages/paths.ts";
import { addressOf, go } from "../router.ts";

interface LinkProps {
  readonly to: ConsolePage;
  /** Of its address: `?key=ecb`. */
  readonly search?: string;
  readonly class?: string;
  /** Its name for screen readers, where the text alone does not say enough. */
  readonly label?: string;
  /** Whether it leads to the current page. */
  readonly isCurrent?: boolean;
  readonly children: ComponentChildren;
}

/** A link to a page of the console, shown without loading another document. */
export function Link(props: LinkProps) {
  const { to, search = "", class: look = "", label, isCurrent = false, children } = props;
  const follow = (event: MouseEvent) => {
    // The browser handles clicks for a new tab or window.
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
    if (!isPlain) return;
    event.preventDefault();
    go(to, { search });
  };
  return (
    <a
      class={look}
      href={addressOf(to, search)}
      aria-label={label}
      aria-current={isCurrent ? "page" : undefined}
      onClick={follow}
    >
      {children}
    </a>
  );
}
