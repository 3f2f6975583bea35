import type { Coverage } from "../coverage.ts";
import { Button } from "./button.tsx";
import { SymbolPicker } from "./symbol-picker.tsx";

interface PairPickerProps {
  readonly base: string;
  readonly quote: string;
  readonly onPair: (pair: { readonly base: string; readonly quote: string }) => void;
  /** Undefined until it has loaded. */
  readonly coverage: Coverage | undefined;
}

/** Base and quote, and the button that swaps them. */
export function PairPicker({ base, quote, onPair, coverage }: PairPickerProps) {
  const quotes = coverage?.quotesOf.get(base.trim().toUpperCase()) ?? coverage?.quotes ?? [];
  return (
    <div class="pair">
      <SymbolPicker
        label="Base"
        value={base}
        onValue={(text) => onPair({ base: text, quote })}
        choices={coverage?.bases ?? []}
      />
      <Button
        look="plain"
        label="Swap the symbols"
        onClick={() => onPair({ base: quote, quote: base })}
      >
        <svg class="swap" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2 5h11m-3-3 3 3-3 3M14 11H3m3 3-3-3 3-3" />
        </svg>
      </Button>
      <SymbolPicker
        label="Quote"
        value={quote}
        onValue={(text) => onPair({ base, quote: text })}
        choices={quotes}
      />
    </div>
  );
}
