import { useId } from "preact/hooks";

interface SegmentsProps<Value extends string> {
  /** For screen readers: the place of the options says it to others. */
  readonly legend: string;
  readonly options: Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly onValue: (value: Value) => void;
}

/** One choice of several options. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { legend, options, value, onValue } = props;
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{legend}</legend>
      <div class="segments">
        {(Object.entries(options) as [Value, string][]).map(([option, text]) => (
          <label key={option}>
            <input
              type="radio"
              name={name}
              checked={option === value}
              onChange={() => onValue(option)}
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
