import { type AccountSettings, changeSettings } from "../api/account.ts";
import { type Loading, useAction } from "../loading.ts";
import { areMailsFiles, noMailServer } from "../mail.ts";
import { ErrorNotice } from "./notice.tsx";
import { Skeleton } from "./skeleton.tsx";

/** The choice to get mails about the quota. The box shows what is stored, not what was clicked. */
export function QuotaMails({ settings }: { readonly settings: Loading<AccountSettings> }) {
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
          Mail me at 80{"\u00a0"}% and at 100{"\u00a0"}% of the quota
        </label>
      )}
      {areMailsFiles ? <p class="field-hint">{noMailServer}</p> : null}
      <ErrorNotice error={change.error} />
    </section>
  );
}
