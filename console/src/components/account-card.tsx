import type { Account } from "../api/account.ts";
import { formatDay, formatMinute } from "../format.ts";

/** The account's email, whether it is confirmed, its plan and its first day. */
export function AccountCard({ account }: { readonly account: Account }) {
  const { email, email_verified: isConfirmed, plan, created_at } = account;
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
    </section>
  );
}
