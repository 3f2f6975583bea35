import { type KeyWithUsage, revokeApiKey } from "../api/keys.ts";
import { isRecentDay } from "../format.ts";
import { forgetKey, keptKey, keyInHand } from "../key-in-hand.ts";
import { lastUseOf } from "../key-labels.ts";
import { useAction } from "../loading.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorNotice, Notice } from "./notice.tsx";

interface RevokeQuestionProps {
  readonly doomed: KeyWithUsage;
  readonly onRevoked: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before a key is revoked, and warns when programs still use it. */
export function RevokeQuestion({ doomed, onRevoked, onClose }: RevokeQuestionProps) {
  const action = useAction(async () => {
    await revokeApiKey(doomed.id);
    if (keyInHand.value?.id === doomed.id) keyInHand.value = undefined;
    if (keptKey.value?.id === doomed.id) forgetKey();
    await onRevoked();
    onClose();
  });
  return (
    <Dialog title={`Revoke “${doomed.name}”?`} onClose={onClose}>
      <LastUse apiKey={doomed} />
      <p class="aside">
        Once revoked, <code>{doomed.key_prefix}…</code> cannot be restored.
      </p>
      <ErrorNotice error={action.error} />
      <div class="dialog-actions">
        <Button look="plain" onClick={onClose}>
          Keep it
        </Button>
        <Button look="danger" isBusy={action.isBusy} onClick={action.run}>
          Revoke key
        </Button>
      </div>
    </Dialog>
  );
}

/** When a key was used last: a warning if programs still use it. */
export function LastUse({ apiKey }: { readonly apiKey: KeyWithUsage }) {
  const text = lastUseOf(apiKey);
  return isRecentDay(apiKey.last_used_on) ? <Notice kind="warn">{text}</Notice> : <p>{text}</p>;
}
