import { useState } from "preact/hooks";
import { type ApiKey, createApiKey, listApiKeys, revokeApiKey } from "../api.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { KeyList } from "../components/key-list.tsx";
import { NewKeyNotice } from "../components/new-key-notice.tsx";
import { ErrorNotice, LoadingNotice, Notice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { keyInHand } from "../key-in-hand.ts";
import { useAction, useLoading } from "../loading.ts";
import { session } from "../session.ts";

export function KeysPage() {
  const { data: keys, error, reload } = useLoading(listApiKeys, []);
  const [doomed, setDoomed] = useState<ApiKey | undefined>(undefined);
  const { isNew, email } = session.value ?? {};
  return (
    <>
      <PageHead title="API keys">
        A key reads rates over REST and MCP. All keys of an account share its quota.
      </PageHead>
      <div class="stack">
        {isNew ? (
          <Notice kind="good">
            Welcome. We have sent a mail to {email}: open its link to confirm the address.
          </Notice>
        ) : null}
        {keyInHand.value === undefined ? null : <NewKeyNotice created={keyInHand.value} />}
        <CreateKey onCreated={reload} />
        <LoadingNotice error={error} />
        {keys === undefined ? (
          <Skeleton what="the keys" heightRem={12} />
        ) : (
          <KeyList keys={keys} onRevoke={setDoomed} />
        )}
      </div>
      {doomed === undefined ? null : (
        <RevokeQuestion doomed={doomed} onRevoked={reload} onClose={() => setDoomed(undefined)} />
      )}
    </>
  );
}

function CreateKey({ onCreated }: { readonly onCreated: () => Promise<void> }) {
  const [name, setName] = useState("");
  const action = useAction(async () => {
    keyInHand.value = await createApiKey(name);
    setName("");
    await onCreated();
  });
  const submit = (event: Event) => {
    event.preventDefault();
    action.run();
  };
  return (
    <form class="card stack-close" onSubmit={submit}>
      <div class="with-button">
        <Field
          label="Name of a new key"
          placeholder="billing"
          value={name}
          onValue={setName}
          maxLength={100}
          autocomplete="off"
        />
        <Button isSubmit isBusy={action.isBusy}>
          Create key
        </Button>
      </div>
      <ErrorNotice error={action.error} />
    </form>
  );
}

interface RevokeQuestionProps {
  readonly doomed: ApiKey;
  readonly onRevoked: () => Promise<void>;
  readonly onClose: () => void;
}

function RevokeQuestion({ doomed, onRevoked, onClose }: RevokeQuestionProps) {
  const action = useAction(async () => {
    await revokeApiKey(doomed.id);
    if (keyInHand.value?.id === doomed.id) keyInHand.value = undefined;
    await onRevoked();
    onClose();
  });
  return (
    <Dialog title={`Revoke “${doomed.name}”?`} onClose={onClose}>
      <p class="aside">
        Programs that use <code>{doomed.key_prefix}…</code> are rejected from their next read on.
        This cannot be undone.
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
