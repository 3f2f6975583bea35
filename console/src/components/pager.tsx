import { formatUnits } from "../format.ts";
import { Button } from "./button.tsx";

interface PagerProps {
  /** The index of the first entry that is shown. */
  readonly start: number;
  readonly perPage: number;
  readonly total: number;
  readonly onStart: (start: number) => void;
}

/** Turns the pages of a list that is longer than one. */
export function Pager({ start, perPage, total, onStart }: PagerProps) {
  if (total <= perPage) return null;
  const end = Math.min(start + perPage, total);
  return (
    <nav class="pager" aria-label="Pages of the list">
      <span>
        {start === 0 ? null : (
          <Button look="plain" isSmall onClick={() => onStart(start - perPage)}>
            Previous
          </Button>
        )}
      </span>
      <span class="aside" role="status">
        {formatUnits(start + 1)} to {formatUnits(end)} of {formatUnits(total)}
      </span>
      <span>
        {end === total ? null : (
          <Button look="plain" isSmall onClick={() => onStart(end)}>
            Next
          </Button>
        )}
      </span>
    </nav>
  );
}
