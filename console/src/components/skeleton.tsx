interface SkeletonProps {
  readonly what: string;
  readonly heightRem: number;
  readonly class?: string;
}

/** Holds the place of what is on its way, so that nothing jumps when it comes. */
export function Skeleton({ what, heightRem, ...props }: SkeletonProps) {
  return (
    <div
      class={`skeleton ${props.class ?? ""}`}
      role="status"
      style={{ height: `${heightRem}rem` }}
    >
      <span class="visually-hidden">Loading {what} …</span>
    </div>
  );
}
