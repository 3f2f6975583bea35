import type { ComponentChildren } from "preact";
import type { Action } from "../loading.ts";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./notice.tsx";

interface FormProps {
  readonly action: Action;
  /** The button's text. */
  readonly does: string;
  readonly children: ComponentChildren;
}

/** Fields, the error of sending them, and the button that sends them. */
export function Form({ action, does, children }: FormProps) {
  const submit = (event: Event) => {
    event.preventDefault();
    action.run();
  };
  return (
    <form class="stack" onSubmit={submit}>
      {children}
      <ErrorNotice error={action.error} />
      <Button isSubmit isBusy={action.isBusy}>
        {does}
      </Button>
    </form>
  );
}
