import { signal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { session } from "../session.ts";
import { AuthorizeDialog } from "./authorize-dialog.tsx";
import { credentials, forgetEntered, hasEntered, usesLogIn } from "./credentials.ts";

/** Whether the dialog for a credential is open: from the button here, or from one at a call. */
export const isAsking = signal(false);

/** How many characters of a credential are shown: of a key, the prefix in the list of keys. */
const SHOWN_LENGTH = 17;

/** How to authorize, and the credentials that calls use now. */
export function Authorization() {
  const { ApiKey, Session } = credentials.value;
  return (
    <section class="card authorization" aria-label="Authorization">
      <div class="stack-close">
        <p>
          Press Authorize and enter <code class="no-break">ApiKey svc_live_…</code> for reads of
          rates, <code class="no-break">Session svc_sess_…</code> for account calls.
        </p>
        <div class="credentials" role="status">
          <p>Reads: {ApiKey === undefined ? "no API key yet" : <Known credential={ApiKey} />}</p>
          <p>
            Account calls:{" "}
            {usesLogIn.value ? (
              <>
                your session as <strong>{session.value?.email}</strong>, from your log-in
              </>
            ) : Session === undefined ? (
              "no session yet"
            ) : (
              <Known credential={Session} />
            )}
          </p>
        </div>
      </div>
      <div class="row">
        {hasEntered.value ? (
          <Button look="plain" onClick={forgetEntered}>
            Forget
          </Button>
        ) : null}
        <Button onClick={ask}>Authorize</Button>
      </div>
      {isAsking.value ? <AuthorizeDialog onClose={stopAsking} /> : null}
    </section>
  );
}

function ask(): void {
  isAsking.value = true;
}

function stopAsking(): void {
  isAsking.value = false;
}

function Known({ credential }: { readonly credential: string }) {
  return <code>{credential.slice(0, SHOWN_LENGTH)}…</code>;
}
