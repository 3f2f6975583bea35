import { listSessions } from "../api/access.ts";
import { listEvents, readAccount, readSettings } from "../api/account.ts";
import { listApiKeys } from "../api/keys.ts";
import { AccountCard } from "../components/account-card.tsx";
import { DeleteAccount, ExportAccount } from "../components/account-data.tsx";
import { ConfirmEmail } from "../components/confirm-email.tsx";
import { RecentEvents } from "../components/event-list.tsx";
import { Link } from "../components/link.tsx";
import { Loaded } from "../components/loaded.tsx";
import { PageHead } from "../components/page-head.tsx";
import { QuotaMails } from "../components/quota-mails.tsx";
import { SessionList } from "../components/session-list.tsx";
import { namesOf } from "../key-labels.ts";

/** Everything of the page at once, so that no part moves another when it arrives. */
async function load() {
  const [account, sessions, settings, events, keys] = await Promise.all([
    readAccount(),
    listSessions(),
    readSettings(),
    listEvents(),
    listApiKeys(),
  ]);
  return { account, sessions, settings, events, keyNames: namesOf(keys) };
}

export function AccountPage() {
  return (
    <>
      <PageHead title="Account">Your email, your sessions and your data.</PageHead>
      <Loaded load={load} what="the account">
        {({ account, sessions, settings, events, keyNames }, reload) => (
          <>
            <ConfirmEmail account={account} reload={reload} />
            <div class="account">
              <div class="stack">
                <AccountCard account={account} />
                <QuotaMails settings={{ data: settings, error: undefined, reload }}>
                  <Link to="/usage">Thresholds</Link>
                </QuotaMails>
              </div>
              <div class="stack">
                <SessionList sessions={sessions} reload={reload} />
                <section class="card stack-close" aria-labelledby="recent">
                  <div class="row-apart">
                    <h2 id="recent">Recent activity</h2>
                    <Link to="/activity">All activity</Link>
                  </div>
                  <RecentEvents events={events} keyNames={keyNames} />
                </section>
              </div>
              <div class="stack">
                <ExportAccount />
                <DeleteAccount email={account.email} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}
