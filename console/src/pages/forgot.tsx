import { useState } from "preact/hooks";
import { requestReset } from "../api.ts";
import { MailRequest } from "../components/mail-request.tsx";
import { PageHead } from "../components/page-head.tsx";

/** Sends a mail with a link to set a new password. */
export function ForgotPage() {
  const [email, setEmail] = useState("");
  return (
    <div class="narrow">
      <PageHead title="Forgotten password">
        We send you a mail with a link to set a new one. It works for one hour.
      </PageHead>
      <MailRequest email={email} onEmail={setEmail} request={requestReset} />
    </div>
  );
}
