import { useId } from "preact/hooks";

/** A search finds what a longer list leaves out. */
const OPTIONS_MAX = 100;

interface FilterProps {
  readonly label: string;
  /** The option that filters nothing. */
  readonly all: string;
  readonly options: readonly { readonly value: string; readonly name: string }[];
  readonly value: string | undefined;
  readonly onValue: (value: string | undefined) => void;
}

/** Narrows a list down to one value, or shows all. */
export function Filter({ label, all, options, value, onValue }: FilterProps) {
  const id = useId();
  const isListed = value === undefined || options.some((option) => option.value === value);
  const listed = isListed ? options : [{ value, name: value }, ...options];
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="input"
        value={value ?? ""}
        onChange={({ currentTarget }) => onValue(currentTarget.value || undefined)}
      >
        <option value="">{all}</option>
        {listed
          .filter((option, index) => index < OPTIONS_MAX || option.value === value)
          .map((option) => (
            <option key={option.value} value={option.value}>
              {option.name}
            </option>
          ))}
      </select>
    </div>
  );
}
