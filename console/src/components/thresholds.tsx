import { useRef, useState } from "preact/hooks";
import { type StatedThreshold, setThresholds, type Threshold } from "../api/account.ts";
import type { ApiKey } from "../api/keys.ts";
import { labelsOf } from "../key-labels.ts";
import { numberIn } from "../key-limits.ts";
import { useAction } from "../loading.ts";
import { describeThreshold, errorOfThreshold, THRESHOLDS_MAX } from "../thresholds.ts";
import { Button } from "./button.tsx";
import { Choice } from "./choice.tsx";
import { Field } from "./field.tsx";
import { ErrorNotice, Notice } from "./notice.tsx";

interface ThresholdsProps {
  readonly thresholds: readonly Threshold[];
  readonly reload: () => Promise<void>;
  /** The account's active keys. */
  readonly keys: readonly ApiKey[];
}

const kinds = { percent: "percent", units: "units" };

/** The thresholds of usage at which the account gets mails: each is added or removed at once. */
export function Thresholds({ thresholds, reload, keys }: ThresholdsProps) {
  const [amount, setAmount] = useState("");
  const [kind, setKind] = useState("percent");
  const [keyId, setKeyId] = useState("");
  const sent = useRef<readonly StatedThreshold[]>(thresholds);
  const list = useRef<HTMLUListElement>(null);
  const labels = labelsOf(keys);
  const change = useAction(async () => {
    await setThresholds(sent.current);
    setAmount("");
    await reload();
    // The button that removed one is gone with it.
    list.current?.focus();
  });
  const send = (wanted: readonly StatedThreshold[]) => {
    if (change.isBusy) return;
    sent.current = wanted;
    change.run();
  };
  const add = (event: Event) => {
    event.preventDefault();
    const of = keyId === "" ? {} : { api_key_id: keyId };
    send([...thresholds, { ...of, [kind]: numberIn(amount) }]);
  };
  const said = errorOfThreshold(change.error, sent.current, labels);
  const isOfNew = said !== undefined && sent.current.length > thresholds.length;
  return (
    <>
      <ul class="thresholds" aria-label="Thresholds" tabIndex={-1} ref={list}>
        {thresholds.map((threshold) => {
          const text = describeThreshold(threshold, labels);
          return (
            <li key={text} class="row-apart">
              {text}
              <Button
                look="quiet"
                isSmall
                label={`Remove ${text}`}
                onClick={() => send(thresholds.filter((other) => other !== threshold))}
              >
                Remove
              </Button>
            </li>
          );
        })}
      </ul>
      {thresholds.length === 0 ? <p class="aside">None: no mail is sent.</p> : null}
      {thresholds.length >= THRESHOLDS_MAX ? (
        <p class="aside">There can be {THRESHOLDS_MAX} thresholds at most.</p>
      ) : (
        <form class="new-threshold" onSubmit={add}>
          <Field
            label="New threshold"
            error={isOfNew ? said : undefined}
            value={amount}
            onValue={setAmount}
            inputMode="numeric"
            maxLength={20}
            placeholder="90"
            autocomplete="off"
          />
          <Choice
            label="Percent or units"
            value={kind}
            onValue={setKind}
            options={Object.entries(kinds)}
          />
          <Choice
            label="Of"
            value={keyId}
            onValue={setKeyId}
            options={[["", "the quota"], ...labels]}
          />
          <Button isSubmit look="plain" isBusy={change.isBusy}>
            Add
          </Button>
        </form>
      )}
      {said === undefined ? <ErrorNotice error={change.error} /> : null}
      {said === undefined || isOfNew ? null : <Notice kind="bad">{said}</Notice>}
    </>
  );
}
