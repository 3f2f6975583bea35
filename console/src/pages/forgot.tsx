import { useState } from "preact/hooks";
import { requestReset } from "../api/access.ts";
import { MailRequest } from "../components/mail-request.tsx";
import { PageHead } from "../components/page-head.tsx";
import { areMailsFiles, noMailServer } from "../mail.ts";

/** Sends a mail with a link to set a new password. */
export function ForgotPage() {
  const [email, setEmail] = useState("");
  return (
    <div class="narrow">
      <PageHead title="Reset your password">
        {areMailsFiles ? `${noMailServer} Its operator gets` : "We send you"} a link to choose a new
        password. It works for one hour.
      </PageHead>
      <MailRequest does="Send reset link" email={email} onEmail={setEmail} request={requestReset} />
    </div>
  );
}
