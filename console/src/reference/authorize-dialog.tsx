import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { Notice } from "../components/notice.tsx";
import { enter } from "./credentials.ts";

/** Asks for a credential. One field for both kinds, which differ in their prefix. */
export function AuthorizeDialog({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  const [isInvalid, setInvalid] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    const isAccepted = enter(text);
    setInvalid(!isAccepted);
    if (isAccepted) onClose();
  };
  return (
    <Dialog title="Authorize" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p class="aside">
          <code>ApiKey svc_live_…</code> for reads of rates, <code>Session svc_sess_…</code> for
          account calls. The word in front may be left out.
        </p>
        <Field
          label="API key or session"
          hint="It stays in this page, until you leave it."
          type="password"
          class="mono"
          placeholder="svc_…"
          autocomplete="off"
          value={text}
          onValue={setText}
        />
        {isInvalid ? (
          <Notice kind="bad">
            <p>
              That is neither an API key (<code>svc_live_…</code>) nor a session{" "}
              <span class="no-break">
                (<code>svc_sess_…</code>).
              </span>
            </p>
          </Notice>
        ) : null}
        <div class="dialog-actions">
          <Button look="plain" onClick={onClose}>
            Cancel
          </Button>
          <Button isSubmit>Authorize</Button>
        </div>
      </form>
    </Dialog>
  );
}
