import { useState } from "preact/hooks";
import { type KeyWithUsage, rotateApiKey } from "../api/keys.ts";
import { forgetKey, keptKey, keyInHand } from "../key-in-hand.ts";
import { overlaps } from "../key-limits.ts";
import { useAction } from "../loading.ts";
import { Button } from "./button.tsx";
import { Choice } from "./choice.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorNotice } from "./notice.tsx";
import { LastUse } from "./revoke-question.tsx";

interface RotateQuestionProps {
  readonly old: KeyWithUsage;
  readonly onRotated: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks how long a key works beside the one that replaces it. */
export function RotateQuestion({ old, onRotated, onClose }: RotateQuestionProps) {
  const [hours, setHours] = useState("24");
  const action = useAction(async () => {
    const created = await rotateApiKey(old.id, Number(hours));
    if (hours === "0" && keptKey.value?.id === old.id) forgetKey();
    // Closed first: the dialog would keep the focus, which the notice of the new key takes.
    onClose();
    keyInHand.value = created;
    await onRotated();
  });
  return (
    <Dialog title={`Rotate “${old.name}”?`} onClose={onClose}>
      <p>
        A new key with the same name and limits replaces <code>{old.key_prefix}…</code>. The units
        of both count against one cap.
      </p>
      <Choice
        label="The old key works"
        value={hours}
        onValue={setHours}
        options={Object.entries(overlaps)}
      />
      {hours === "0" ? <LastUse apiKey={old} /> : null}
      <ErrorNotice error={action.error} />
      <div class="dialog-actions">
        <Button look="plain" onClick={onClose}>
          Cancel
        </Button>
        <Button isBusy={action.isBusy} onClick={action.run}>
          Rotate key
        </Button>
      </div>
    </Dialog>
  );
}
