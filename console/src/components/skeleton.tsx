/** Holds the place of what is on its way, so that nothing jumps when it comes. */
export function Skeleton({ what, heightRem }: { readonly what: string; heightRem: number }) {
  return (
    <div class="skeleton" role="status" style={{ height: `${heightRem}rem` }}>
      <span class="visually-hidden">Loading {what} …</span>
    </div>
  );
}
