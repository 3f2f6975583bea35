import type { ComponentChildren } from "preact";
import { type AccountSettings, changeSettings } from "../api/account.ts";
import { type Loading, useAction } from "../loading.ts";
import { areMailsFiles, noMailServer } from "../mail.ts";
import { ErrorNotice } from "./notice.tsx";
import { Skeleton } from "./skeleton.tsx";

interface QuotaMailsProps {
  readonly settings: Loading<AccountSettings>;
  /** Below the choice. */
  readonly children: ComponentChildren;
}

/** The choice to get mails about the usage. The box shows what is stored, not what was clicked. */
export function QuotaMails({ settings, children }: QuotaMailsProps) {
  const isOn = settings.data?.quota_mails;
  const change = useAction(async () => {
    await changeSettings({ quota_mails: !isOn });
    await settings.reload();
  });
  return (
    <section class="card stack-close" aria-label="Mails">
      {isOn === undefined ? (
        <Skeleton what="the settings" heightRem={1.5} />
      ) : (
        <label class="check">
          <input
            type="checkbox"
            checked={isOn}
            aria-busy={change.isBusy}
            onClick={(event) => {
              event.preventDefault();
              change.run();
            }}
          />
          Mail me when the usage reaches a threshold
        </label>
      )}
      {areMailsFiles ? <p class="field-hint">{noMailServer}</p> : null}
      <ErrorNotice error={change.error} />
      {children}
    </section>
  );
}
