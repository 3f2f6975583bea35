import type { ComponentChildren } from "preact";

interface ButtonProps {
  readonly children: ComponentChildren;
  /** `plain` next to another button, `danger` for irreversible actions, `quiet` in a list. */
  readonly look?: "plain" | "danger" | "quiet";
  readonly isSmall?: boolean;
  /** While its action runs, it shows that and ignores clicks, but keeps the focus. */
  readonly isBusy?: boolean;
  readonly isSubmit?: boolean;
  readonly label?: string;
  readonly onClick?: () => void;
}

export function Button(props: ButtonProps) {
  const { children, look, isSmall, isBusy = false, isSubmit, label, onClick } = props;
  const names = ["button", look && `button-${look}`, isSmall && "button-small"];
  return (
    <button
      type={isSubmit ? "submit" : "button"}
      class={names.filter(Boolean).join(" ")}
      aria-busy={isBusy}
      aria-label={label}
      onClick={isBusy ? undefined : onClick}
    >
      {children}
    </button>
  );
}
