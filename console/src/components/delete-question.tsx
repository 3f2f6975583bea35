import { useState } from "preact/hooks";
import { deleteAccount } from "../api/account.ts";
import { deletedEmail } from "../deleted-account.ts";
import { useAction } from "../loading.ts";
import { go } from "../router.ts";
import { endSession } from "../session.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { PasswordField } from "./field.tsx";
import { ErrorNotice } from "./notice.tsx";

interface DeleteQuestionProps {
  readonly email: string;
  readonly onClose: () => void;
}

/** Says what a deletion deletes and keeps, and deletes the account with its password. */
export function DeleteQuestion({ email, onClose }: DeleteQuestionProps) {
  const [password, setPassword] = useState("");
  const action = useAction(async () => {
    await deleteAccount(password);
    endSession("logged out");
    deletedEmail.value = email;
    go("/");
  });
  const submit = (event: Event) => {
    event.preventDefault();
    action.run();
  };
  return (
    <Dialog title={`Delete the account ${email}?`} onClose={onClose}>
      <form class="stack-close" onSubmit={submit}>
        <p class="deletion">
          <strong>Deleted:</strong> your email and password, the names and secrets of your keys,
          your sessions and mails. Requests with your keys fail at once.
        </p>
        <p class="deletion">
          <strong>Kept:</strong> for billing, the ids, times and limits of the account and its keys,
          the plan, the units by month, key and day, those granted with their references, and your
          customer number; in the audit log, its events without addresses or details.
        </p>
        <p class="aside">This cannot be undone. Download the export first if you need it.</p>
        <PasswordField value={password} onValue={setPassword} />
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button look="plain" onClick={onClose}>
            Keep the account
          </Button>
          <Button look="danger" isSubmit isBusy={action.isBusy}>
            Delete the account
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
