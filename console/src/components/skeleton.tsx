interface SkeletonProps {
  readonly what: string;
  readonly heightRem: number;
  readonly class?: string;
}

/** Reserves the space of content that is loading, so that nothing moves when it arrives. */
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
