import type { ComponentChildren } from "preact";

interface PageHeadProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** A page's heading, which gets the focus when the page is shown, and a line about it. */
export function PageHead({ title, children }: PageHeadProps) {
  return (
    <div class="page-head">
      <h1 tabIndex={-1}>{title}</h1>
      {children === undefined ? null : <p>{children}</p>}
    </div>
  );
}
