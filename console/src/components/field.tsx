import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** What is wrong with the value. */
  readonly error?: string | undefined;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: "text" | "email" | "password" | "date";
  readonly class?: string;
  readonly placeholder?: string;
  readonly autocomplete: "off" | "username" | "current-password" | "new-password";
  readonly autocapitalize?: "characters";
  readonly inputMode?: "decimal" | "numeric" | undefined;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly readOnly?: boolean;
  readonly max?: string;
  readonly required?: boolean;
}

/**
 * A text input, which must be filled in by default, with its label and hint; a secret one can be
 * shown.
 */
export function Field(props: FieldProps) {
  const { label, hint, error, value, onValue, type = "text", class: look = "", ...rest } = props;
  const id = useId();
  const [isShown, setShown] = useState(false);
  const isSecret = type === "password";
  const describedBy = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class={isSecret ? "secret-input" : undefined}>
        <input
          required
          {...rest}
          id={id}
          // Preact's types accept only one kind of input at a time.
          type={(isSecret && isShown ? "text" : type) as "text"}
          spellcheck={false}
          class={`input ${look}`}
          value={value}
          aria-invalid={error !== undefined}
          aria-describedby={describedBy || undefined}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
        {isSecret ? (
          <button type="button" aria-controls={id} onClick={() => setShown(!isShown)}>
            {isShown ? "Hide" : "Show"}
            <span class="visually-hidden"> {label}</span>
          </button>
        ) : null}
      </div>
      {error === undefined ? null : (
        <span class="field-error" id={`${id}-error`} role="alert">
          {error}
        </span>
      )}
      {hint === undefined ? null : (
        <span class="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}

type CredentialProps = {
  readonly value: string;
  readonly onValue: (value: string) => void;
};

/** With a hint and `readOnly`, an email that the visitor cannot change. */
export function EmailField(props: CredentialProps & Pick<FieldProps, "hint" | "readOnly">) {
  return <Field {...props} label="Email" type="email" autocomplete="username" maxLength={254} />;
}

export function PasswordField({ isNew = false, ...props }: CredentialProps & { isNew?: boolean }) {
  const rules = isNew
    ? ({ hint: "At least 8 characters. A sentence is a good one.", minLength: 8 } as const)
    : {};
  return (
    <Field
      {...props}
      {...rules}
      label={isNew ? "New password" : "Password"}
      type="password"
      autocomplete={isNew ? "new-password" : "current-password"}
    />
  );
}
