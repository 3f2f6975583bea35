import { useState } from "preact/hooks";
import { readAccount } from "../api/account.ts";
import { createApiKey, type KeyWithUsage, listKeysWithUsage } from "../api/keys.ts";
import { Button } from "../components/button.tsx";
import { ConfirmEmail } from "../components/confirm-email.tsx";
import { Field } from "../components/field.tsx";
import { KeyList, type KeyQuestion } from "../components/key-list.tsx";
import { LimitFields } from "../components/limit-fields.tsx";
import { LimitsQuestion, OtherError } from "../components/limits-question.tsx";
import { NewKeyNotice } from "../components/new-key-notice.tsx";
import { LoadingNotice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { RevokeQuestion } from "../components/revoke-question.tsx";
import { RotateQuestion } from "../components/rotate-question.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { keyInHand } from "../key-in-hand.ts";
import { limitsIn, textsOf } from "../key-limits.ts";
import { type Loading, useAction, useLoading } from "../loading.ts";

export function KeysPage() {
  const keys = useLoading(listKeysWithUsage, []);
  const account = useLoading(readAccount, []);
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
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
            onAsk={(what, { id }) => {
              setAsked({ what, id });
              // The key may have been used since the page was opened.
              void keys.reload();
            }}
          />
        )}
      </div>
      <Question asked={asked} keys={keys} onClose={() => setAsked(undefined)} />
    </>
  );
}

/** What is asked about which key. */
interface Asked {
  readonly what: KeyQuestion;
  readonly id: string;
}

interface QuestionProps {
  readonly asked: Asked | undefined;
  readonly keys: Loading<readonly KeyWithUsage[]>;
  readonly onClose: () => void;
}

function Question({ asked, keys: { data, reload }, onClose }: QuestionProps) {
  const key = data?.find(({ id }) => id === asked?.id);
  if (asked === undefined || key === undefined) return null;
  if (asked.what === "limits")
    return <LimitsQuestion limited={key} onSet={reload} onClose={onClose} />;
  if (asked.what === "rotate")
    return <RotateQuestion old={key} onRotated={reload} onClose={onClose} />;
  return <RevokeQuestion doomed={key} onRevoked={reload} onClose={onClose} />;
}

function CreateKey({ onCreated }: { readonly onCreated: () => Promise<void> }) {
  const [name, setName] = useState("");
  const [texts, setTexts] = useState(textsOf);
  const action = useAction(async () => {
    keyInHand.value = await createApiKey(name, limitsIn(texts));
    setName("");
    setTexts(textsOf());
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
      <details>
        <summary>Limits of the new key</summary>
        <LimitFields texts={texts} onTexts={setTexts} error={action.error} />
      </details>
      <OtherError error={action.error} />
    </form>
  );
}
