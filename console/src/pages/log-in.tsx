import { useState } from "preact/hooks";
import { logIn } from "../api/access.ts";
import { CheckMail } from "../components/check-mail.tsx";
import { EmailField, PasswordField } from "../components/field.tsx";
import { Form } from "../components/form.tsx";
import { Link } from "../components/link.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { useAction } from "../loading.ts";
import { isOpen } from "../registration.ts";
import { beginSession, sessionEnd } from "../session.ts";

/** Begins a session; the app then shows the requested page. */
export function LogInPage() {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const action = useAction(async () => {
    const { session_token, expires_at } = await logIn({ email, password });
    const address = email.trim().toLowerCase();
    beginSession({ email: address, token: session_token, expiresAt: expires_at });
  });

  if (action.error?.code === "email_not_verified") return <CheckMail email={email} />;
  return (
    <div class="narrow">
      <PageHead title="Log in" />
      <div class="stack">
        {sessionEnd.value === "expired" ? (
          <Notice kind="warn">Your session has ended. Log in to continue where you were.</Notice>
        ) : null}
        <div class="card">
          <Form action={action} does="Log in">
            <EmailField value={email} onValue={setEmail} />
            <PasswordField value={password} onValue={setPassword} />
          </Form>
        </div>
        <p class="aside row-apart">
          <Link to="/forgot">Forgot your password?</Link>
          {isOpen ? <Link to="/signup">Create an account</Link> : null}
        </p>
      </div>
    </div>
  );
}
