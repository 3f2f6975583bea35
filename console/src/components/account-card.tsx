import { useState } from "preact/hooks";
import { requestReset } from "../api/access.ts";
import type { Account } from "../api/account.ts";
import { formatDay, formatMinute } from "../format.ts";
import { useAction } from "../loading.ts";
import { whereResetIs } from "../mail.ts";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./notice.tsx";

/** The account's email, whether it is confirmed, its plan and first day, and the way to a password. */
export function AccountCard({ account }: { readonly account: Account }) {
  const { email, email_verified: isConfirmed, plan, created_at } = account;
  const [isSent, setSent] = useState(false);
  const reset = useAction(async () => {
    setSent(false);
    await requestReset(email);
    setSent(true);
  });
  return (
    <section class="card stack-close" aria-labelledby="email">
      <h2 id="email">Email</h2>
      <p class="account-email">
        {email}{" "}
        <span class={`badge ${isConfirmed ? "badge-good" : "badge-warn"}`}>
          {isConfirmed ? "Confirmed" : "Not confirmed"}
        </span>
      </p>
      <p class="aside row-apart">
        <span>
          Plan <span class="badge">{plan}</span>
        </span>
        <span>
          Created{" "}
          <time dateTime={created_at} title={formatMinute(created_at)}>
            {formatDay(created_at)}
          </time>
        </span>
      </p>
      <div class="row">
        <Button look="plain" isSmall isBusy={reset.isBusy} onClick={reset.run}>
          Set a new password
        </Button>
      </div>
      <p class="aside report" role="status">
        {isSent ? whereResetIs : null}
      </p>
      <ErrorNotice error={reset.error} />
    </section>
  );
}
