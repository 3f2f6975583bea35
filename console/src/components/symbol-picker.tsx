import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Choice } from "../coverage.ts";
import { formatUnits } from "../format.ts";
import { matching, normalized } from "../search.ts";

/** The list shows this many choices; typing narrows them down. */
const CHOICES_MAX = 50;

interface SymbolPickerProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** What exists; any other text can be typed as well. */
  readonly choices: readonly Choice[];
  /** Of the symbol in the field, if it has one. */
  readonly name: string | null | undefined;
}

/**
 * A text input for a symbol that offers those that exist (WAI-ARIA Authoring Practices, editable
 * combobox with list autocomplete).
 */
export function SymbolPicker({ label, value, onValue, choices, name }: SymbolPickerProps) {
  const id = useId();
  const { isOpen, offered, active, on } = usePicker(value, onValue, choices);
  const shown = isOpen ? offered.slice(0, CHOICES_MAX) : [];
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [active]);

  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        class="input input-symbol"
        required
        spellcheck={false}
        autocomplete="off"
        autocapitalize="characters"
        maxLength={100}
        value={value}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={shown.length > 0}
        aria-controls={shown.length > 0 ? `${id}-list` : undefined}
        aria-activedescendant={active < 0 ? undefined : `${id}-${active}`}
        aria-describedby={`${id}-name`}
        onInput={(event) => on.type(event.currentTarget.value)}
        onClick={on.open}
        onBlur={on.close}
        onKeyDown={(event) => on.press(event, Math.min(offered.length, CHOICES_MAX))}
      />
      <span class="field-hint picker-name" id={`${id}-name`}>
        {name ?? ""}
      </span>
      {shown.length === 0 ? null : (
        <div class="picker-list">
          <div role="listbox" id={`${id}-list`} aria-label="Symbols" ref={list}>
            {shown.map(({ symbol, name: itsName }, index) => (
              <Option
                key={symbol}
                id={`${id}-${index}`}
                isActive={index === active}
                symbol={symbol}
                name={itsName}
                onPick={() => on.pick(symbol)}
              />
            ))}
          </div>
          {offered.length > shown.length ? (
            <p class="field-hint">
              {formatUnits(offered.length - shown.length)} more: type to find them.
            </p>
          ) : null}
        </div>
      )}
    </div>
  );
}

interface OptionProps extends Choice {
  readonly id: string;
  readonly isActive: boolean;
  readonly onPick: () => void;
}

function Option({ id, isActive, symbol, name, onPick }: OptionProps) {
  return (
    // The keyboard is the input's, which keeps the focus.
    <div
      class="picker-option"
      role="option"
      id={id}
      aria-selected={isActive}
      tabIndex={-1}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
      onKeyDown={() => undefined}
    >
      <strong>{symbol}</strong> <span class="pairs-name">{name}</span>
    </div>
  );
}

/** The list: open or not, what it offers, and which of its options is active (-1: none). */
function usePicker(value: string, onValue: (value: string) => void, choices: readonly Choice[]) {
  const [isOpen, setOpen] = useState(false);
  // Opened without typing, it offers everything.
  const [isTyped, setTyped] = useState(false);
  const [active, setActive] = useState(-1);
  const offered = isOpen && isTyped ? matching(choices, value) : choices;

  const set = (open: boolean, typed: boolean) => {
    setOpen(open);
    setTyped(typed);
    setActive(-1);
  };
  const close = () => set(false, false);
  const pick = (symbol: string) => {
    onValue(symbol);
    close();
  };
  const open = () => {
    if (!isOpen) set(true, false);
  };
  const type = (text: string) => {
    onValue(text);
    // A complete symbol needs no list, which would cover the button below.
    set(!choices.some(({ symbol }) => symbol === normalized(text)), true);
  };
  const press = (event: KeyboardEvent, count: number) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = offered[active];
    if (step !== undefined) {
      event.preventDefault();
      if (!isOpen) return open();
      setActive(Math.min(Math.max(active + step, -1), count - 1));
    } else if (event.key === "Enter" && isOpen && chosen !== undefined) {
      event.preventDefault();
      pick(chosen.symbol);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      close();
    }
  };
  return { isOpen, offered, active, on: { open, close, type, pick, press } };
}
