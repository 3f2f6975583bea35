import type { ApiError } from "../api/request.ts";
import { errorsOf, type LimitTexts, limitLabels } from "../key-limits.ts";
import { Field } from "./field.tsx";

interface LimitFieldsProps {
  readonly texts: LimitTexts;
  readonly onTexts: (texts: LimitTexts) => void;
  /** Shown at its field where it is about one. */
  readonly error: ApiError | undefined;
}

const hints: LimitTexts = {
  expires_at:
    "Days from its creation, such as 90 days, or a date in UTC, such as 2027-01-31. Empty: no end.",
  units_per_period: "Empty: no cap.",
  units_per_day: "Empty: no cap.",
};

/** The end and the caps of a key. */
export function LimitFields({ texts, onTexts, error }: LimitFieldsProps) {
  const errors = errorsOf(error);
  return (
    <div class="limit-fields">
      {(Object.keys(limitLabels) as (keyof LimitTexts)[]).map((name) => (
        <Field
          key={name}
          label={limitLabels[name]}
          hint={hints[name]}
          error={errors[name]}
          value={texts[name]}
          onValue={(value) => onTexts({ ...texts, [name]: value })}
          autocomplete="off"
          inputMode={name === "expires_at" ? undefined : "numeric"}
          maxLength={40}
          required={false}
        />
      ))}
    </div>
  );
}
