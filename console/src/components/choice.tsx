import { useId } from "preact/hooks";

interface ChoiceProps {
  readonly label: string;
  /** What to choose from: values, and the text of each. */
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** A list to choose one of, with its label. */
export function Choice({ label, options, value, onValue }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="input"
        value={value}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
