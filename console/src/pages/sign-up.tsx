import { useState } from "preact/hooks";
import { ApiError, logIn, register } from "../api.ts";
import { CheckMail } from "../components/check-mail.tsx";
import { EmailField, PasswordField } from "../components/field.tsx";
import { Form } from "../components/form.tsx";
import { Link } from "../components/link.tsx";
import { PageHead } from "../components/page-head.tsx";
import { useAction } from "../loading.ts";
import { beginSession } from "../session.ts";

/** Creates an account and logs in, if the service allows that before the email is confirmed. */
export function SignUpPage() {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [mustConfirm, setMustConfirm] = useState(false);
  const action = useAction(async () => {
    const account = await register({ email, password });
    try {
      const { session_token, expires_at } = await logIn({ email, password });
      const { email: address } = account;
      beginSession({ email: address, token: session_token, expiresAt: expires_at, isNew: true });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "email_not_verified")) throw error;
      setMustConfirm(true);
    }
  });

  if (mustConfirm) return <CheckMail email={email} />;
  return (
    <div class="narrow">
      <PageHead title="Create an account">You can make your first API key right after.</PageHead>
      <div class="stack">
        <div class="card">
          <Form action={action} does="Create account">
            <EmailField value={email} onValue={setEmail} />
            <PasswordField isNew value={password} onValue={setPassword} />
          </Form>
        </div>
        <p class="aside">
          Already have an account? <Link to="/login">Log in</Link>
        </p>
      </div>
    </div>
  );
}
