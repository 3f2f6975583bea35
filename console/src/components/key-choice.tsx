import { useId } from "preact/hooks";
import type { KeyUnits } from "../daily-units.ts";

/** A longer list is of no use; the address takes any key. */
const OPTIONS_MAX = 100;

interface KeyChoiceProps {
  readonly keys: readonly Pick<KeyUnits, "id" | "name" | "prefix">[];
  /** The id of the chosen key; empty for all. */
  readonly value: string;
  readonly onValue: (id: string) => void;
}

/** All keys, or one of those with units. */
export function KeyChoice({ keys, value, onValue }: KeyChoiceProps) {
  const id = useId();
  const names = keys.map(({ name }) => name);
  const isTwice = (name: string) => names.indexOf(name) !== names.lastIndexOf(name);
  return (
    <div class="key-choice">
      <label class="visually-hidden" for={id}>
        Keys
      </label>
      <select
        id={id}
        class="input"
        value={value}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        <option value="">All keys</option>
        {keys
          .filter((key, index) => index < OPTIONS_MAX || key.id === value)
          .map((key) => (
            <option key={key.id} value={key.id}>
              {isTwice(key.name) ? `${key.name} (${key.prefix}…)` : key.name}
            </option>
          ))}
      </select>
    </div>
  );
}
