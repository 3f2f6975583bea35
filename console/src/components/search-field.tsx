import { useId } from "preact/hooks";

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** A text that narrows down what the page shows, as it is typed. */
export function SearchField({ label, value, onValue, placeholder }: SearchFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        class="input"
        value={value}
        placeholder={placeholder}
        maxLength={100}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  );
}
