import { useState } from "preact/hooks";
import { resendVerification } from "../api/access.ts";
import { useAction } from "../loading.ts";
import { areMailsFiles, howToConfirmFirst } from "../mail.ts";
import { Button } from "./button.tsx";
import { Link } from "./link.tsx";
import { ErrorNotice, Notice } from "./notice.tsx";
import { PageHead } from "./page-head.tsx";

/** For an account that cannot log in before its email is confirmed. */
export function CheckMail({ email }: { readonly email: string }) {
  const [isSent, setSent] = useState(false);
  const resend = useAction(async () => {
    await resendVerification(email);
    setSent(true);
  });
  return (
    <div class="narrow">
      <PageHead title="Confirm your email">{howToConfirmFirst(email)}</PageHead>
      <div class="stack">
        <ErrorNotice error={resend.error} />
        {isSent ? (
          <Notice kind="good">
            {areMailsFiles ? "A new mail is in a file." : "A new mail is on its way."}
          </Notice>
        ) : null}
        <div class="row">
          <Link class="button" to="/login">
            Log in
          </Link>
          <Button look="plain" isBusy={resend.isBusy} onClick={resend.run}>
            Send another mail
          </Button>
        </div>
      </div>
    </div>
  );
}
