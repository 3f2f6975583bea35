import type { LimitLine } from "../key-limits.ts";

/** Limits of a key, each on a line of its own; one that is near looks like a warning. */
export function LimitLines({ lines }: { readonly lines: readonly LimitLine[] }) {
  return lines.map(({ text, level }) => (
    <span key={text} class={`limit limit-${level}`}>
      {text}
    </span>
  ));
}
