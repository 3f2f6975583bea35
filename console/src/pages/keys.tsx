import { useState } from "preact/hooks";
import { readAccount } from "../api/account.ts";
import { createApiKey, listKeysWithUsage } from "../api/keys.ts";
import { Button } from "../components/button.tsx";
import { ConfirmEmail } from "../components/confirm-email.tsx";
import { Field } from "../components/field.tsx";
import { KeyList } from "../components/key-list.tsx";
import { NewKeyNotice } from "../components/new-key-notice.tsx";
import { ErrorNotice, LoadingNotice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { RevokeQuestion } from "../components/revoke-question.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { keyInHand } from "../key-in-hand.ts";
import { useAction, useLoading } from "../loading.ts";

export function KeysPage() {
  const keys = useLoading(listKeysWithUsage, []);
  const account = useLoading(readAccount, []);
  const [doomedId, setDoomedId] = useState<string | undefined>(undefined);
  const doomed = keys.data?.find(({ id }) => id === doomedId);
  // Until then it is open whether a notice comes first, which would move the rest.
  const isSettled = account.data !== undefined || account.error !== undefined;
  return (
    <>
      <PageHead title="API keys">
        Programs read rates with a key, over REST or MCP. All keys share one quota.
      </PageHead>
      <div class="stack">
        <LoadingNotice error={keys.error ?? account.error} />
        {isSettled ? (
          <>
            {account.data && <ConfirmEmail account={account.data} reload={account.reload} />}
            {keyInHand.value === undefined ? null : <NewKeyNotice created={keyInHand.value} />}
            <CreateKey onCreated={keys.reload} />
          </>
        ) : null}
        {keys.data === undefined || !isSettled ? (
          // By its key another element than the one of the whole page, which would move down.
          <Skeleton key={`${isSettled}`} what="the keys" heightRem={isSettled ? 12 : 20} />
        ) : (
          <KeyList
            keys={keys.data}
            onRevoke={({ id }) => {
              setDoomedId(id);
              // The key may have been used since the page was opened.
              void keys.reload();
            }}
          />
        )}
      </div>
      {doomed === undefined ? null : (
        <RevokeQuestion
          doomed={doomed}
          onRevoked={keys.reload}
          onClose={() => setDoomedId(undefined)}
        />
      )}
    </>
  );
}

function CreateKey({ onCreated }: { readonly onCreated: () => Promise<void> }) {
  const [name, setName] = useState("");
  const action = useAction(async () => {
    keyInHand.value = await createApiKey(name);
    setName("");
    // Not awaited: the next key can be created while the list loads.
    void onCreated();
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
