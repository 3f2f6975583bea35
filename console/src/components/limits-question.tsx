import { useState } from "preact/hooks";
import { type KeyWithUsage, setKeyLimits } from "../api/keys.ts";
import { errorsOf, limitsIn, textsOf } from "../key-limits.ts";
import { useAction } from "../loading.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { ErrorNotice } from "./notice.tsx";

interface LimitsQuestionProps {
  readonly limited: KeyWithUsage;
  readonly onSet: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for the end and the caps of a key. */
export function LimitsQuestion({ limited, onSet, onClose }: LimitsQuestionProps) {
  const [texts, setTexts] = useState(() => textsOf(limited.limits));
  const action = useAction(async () => {
    await setKeyLimits(limited.id, limitsIn(texts));
    await onSet();
    onClose();
  });
  const submit = (event: Event) => {
    event.preventDefault();
    action.run();
  };
  return (
    <Dialog title={`Limits of “${limited.name}”`} onClose={onClose}>
      <form class="stack-close" onSubmit={submit}>
        <p class="aside">
          At its end the key is rejected for good. Reads beyond a cap are rejected and cost nothing;
          the units of keys that a rotation joined count together.
        </p>
        <LimitFields texts={texts} onTexts={setTexts} error={action.error} />
        <OtherError error={action.error} />
        <div class="dialog-actions">
          <Button look="plain" onClick={onClose}>
            Cancel
          </Button>
          <Button isSubmit isBusy={action.isBusy}>
            Save the limits
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** An error that no field of the limits shows. */
export function OtherError({ error }: Parameters<typeof ErrorNotice>[0]) {
  return Object.keys(errorsOf(error)).length > 0 ? null : <ErrorNotice error={error} />;
}
