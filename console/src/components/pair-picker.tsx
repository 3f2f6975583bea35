import type { Coverage } from "../coverage.ts";
import { normalized } from "../search.ts";
import { Button } from "./button.tsx";
import { SymbolPicker } from "./symbol-picker.tsx";

interface PairPickerProps {
  readonly base: string;
  readonly quote: string;
  readonly onPair: (pair: { readonly base: string; readonly quote: string }) => void;
  /** Undefined until it has loaded. */
  readonly coverage: Coverage | undefined;
}

/** Base and quote, and the button that swaps them if there is a rate in the other direction. */
export function PairPicker({ base, quote, onPair, coverage }: PairPickerProps) {
  const [from, to] = [normalized(base), normalized(quote)];
  const quotes = coverage?.quotesOf.get(from) ?? coverage?.quotes ?? [];
  return (
    <div class="pair">
      <SymbolPicker
        label="Base"
        value={base}
        onValue={(text) => onPair({ base: text, quote })}
        choices={coverage?.bases ?? []}
        name={coverage?.names.get(from)}
      />
      {coverage?.pairOf.has(`${to}/${from}`) ? (
        <Button
          look="plain"
          label="Swap the symbols"
          onClick={() => onPair({ base: quote, quote: base })}
        >
          <Arrow path="M2 5h11m-3-3 3 3-3 3M14 11H3m3 3-3-3 3-3" />
        </Button>
      ) : (
        <span class="one-way">
          <Arrow path="M2 8h12m-3-3 3 3-3 3" />
        </span>
      )}
      <SymbolPicker
        label="Quote"
        value={quote}
        onValue={(text) => onPair({ base, quote: text })}
        choices={quotes}
        name={coverage?.names.get(to)}
      />
    </div>
  );
}

function Arrow({ path }: { readonly path: string }) {
  return (
    <svg class="swap" viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
