import { useState } from "preact/hooks";
import { logIn, register } from "../api/access.ts";
import { ApiError } from "../api/request.ts";
import { Button } from "../components/button.tsx";
import { CheckMail } from "../components/check-mail.tsx";
import { EmailField, PasswordField } from "../components/field.tsx";
import { Form } from "../components/form.tsx";
import { Link } from "../components/link.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { useAction } from "../loading.ts";
import { canJoin, howToJoin, takesInvitations } from "../registration.ts";
import { type Invitation, takeInvitation } from "../router.ts";
import { beginSession } from "../session.ts";

/** The page to create an account, and the page of an invitation's link. */
export function SignUpPage() {
  const [invitation, setInvitation] = useState(takeInvitation);
  if (!canJoin(invitation)) return <NotOpen />;
  return <SignUp invitation={invitation} onDrop={() => setInvitation(undefined)} />;
}

interface SignUpProps {
  readonly invitation: Invitation | undefined;
  readonly onDrop: () => void;
}

/** Creates an account and logs in, if the service allows that before the email is confirmed. */
function SignUp({ invitation, onDrop }: SignUpProps) {
  const [email, setEmail] = useState(invitation?.email ?? "");
  const [password, setPassword] = useState("");
  const [mustConfirm, setMustConfirm] = useState(false);
  const action = useAction(async () => {
    const { email: address } = await register({ email, password }, invitation?.token);
    try {
      const { session_token, expires_at } = await logIn({ email, password });
      beginSession({ email: address, token: session_token, expiresAt: expires_at });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "email_not_verified")) throw error;
      setMustConfirm(true);
    }
  });

  if (mustConfirm) return <CheckMail email={email} />;
  // A mail program may have cut the link.
  const isFixed = invitation !== undefined && invitation.email !== "";
  const fixed = isFixed ? { readOnly: true, hint: "Your invitation is for this address." } : {};
  // Where registration is open, nobody needs the invitation that was rejected.
  const isRejected = invitation !== undefined && action.error?.code === "invalid_token";
  return (
    <div class="narrow">
      <PageHead title="Create an account">
        You can create your first API key right afterwards.
      </PageHead>
      <div class="stack">
        <div class="card">
          <Form action={action} does="Create account">
            <EmailField value={email} onValue={setEmail} {...fixed} />
            <PasswordField isNew value={password} onValue={setPassword} />
          </Form>
        </div>
        {isRejected ? (
          <Button look="plain" onClick={onDrop}>
            Continue without the invitation
          </Button>
        ) : null}
        <p class="aside">
          Already have an account? <Link to="/login">Log in</Link>
        </p>
      </div>
    </div>
  );
}

function NotOpen() {
  return (
    <div class="narrow">
      <PageHead title="Create an account" />
      <div class="stack">
        <Notice kind="warn">
          {howToJoin}
          {takesInvitations ? " The link in its mail leads here." : null}
        </Notice>
        <p class="aside">
          Already have an account? <Link to="/login">Log in</Link>
        </p>
      </div>
    </div>
  );
}
