import { signal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { session } from "../session.ts";
import { AuthorizeDialog } from "./authorize-dialog.tsx";
import { credentials, forgetEntered, hasEntered, usesLogIn } from "./credentials.ts";

/** Whether a credential is being asked for: by the button here, or by one at a call. */
export const isAsking = signal(false);

/** How much of a credential is shown: of a key, what the list of keys calls its prefix. */
const SHOWN_LENGTH = 17;

/** How to authorize, and with what calls are made so far. */
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
