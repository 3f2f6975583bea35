import { useEffect, useState } from "preact/hooks";
import { resendVerification } from "../api/access.ts";
import type { Account } from "../api/account.ts";
import { useAction } from "../loading.ts";
import { areMailsFiles, howToConfirm } from "../mail.ts";
import { Button } from "./button.tsx";
import { ErrorNotice, Notice } from "./notice.tsx";

interface ConfirmEmailProps {
  readonly account: Account;
  readonly reload: () => Promise<void>;
}

/** Asks for the confirmation of the email until it is confirmed, and can send another mail. */
export function ConfirmEmail({ account, reload }: ConfirmEmailProps) {
  if (account.email_verified) return null;
  return <Unconfirmed email={account.email} reload={reload} />;
}

interface UnconfirmedProps {
  readonly email: string;
  readonly reload: () => Promise<void>;
}

function Unconfirmed({ email, reload }: UnconfirmedProps) {
  const [isSent, setSent] = useState(false);
  const resend = useAction(async () => {
    setSent(false);
    await resendVerification(email);
    setSent(true);
  });
  // The link of the mail opens in another tab: its effect shows when the reader is back.
  useEffect(() => {
    const look = () => void (document.visibilityState === "visible" && reload());
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [reload]);
  return (
    <Notice kind="warn">
      <div class="row-apart">
        <p class="notice-text">Confirm your email. {howToConfirm(email)}</p>
        <Button look="plain" isSmall isBusy={resend.isBusy} onClick={resend.run}>
          Resend
        </Button>
      </div>
      {isSent ? (
        <p class="confirm-sent">
          {areMailsFiles
            ? "A new mail is in the files."
            : "A new mail is on its way. Check your spam folder, too."}
        </p>
      ) : null}
      <ErrorNotice error={resend.error} />
    </Notice>
  );
}
