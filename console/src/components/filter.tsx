import { Choice } from "./choice.tsx";

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
  const isListed = value === undefined || options.some((option) => option.value === value);
  const listed = isListed ? options : [{ value, name: value }, ...options];
  const shown = listed.filter((one, index) => index < OPTIONS_MAX || one.value === value);
  return (
    <Choice
      label={label}
      value={value ?? ""}
      onValue={(chosen) => onValue(chosen || undefined)}
      options={[["", all], ...shown.map(({ value, name }) => [value, name] as const)]}
    />
  );
}
