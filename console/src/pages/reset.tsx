import { useState } from "preact/hooks";
import { confirmReset } from "../api/access.ts";
import { PasswordField } from "../components/field.tsx";
import { Form } from "../components/form.tsx";
import { Link } from "../components/link.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { useAction } from "../loading.ts";
import { takeToken } from "../router.ts";
import { endSession } from "../session.ts";

/** The page of a reset mail's link. */
export function ResetPage() {
  const [token] = useState(takeToken);
  const [password, setPassword] = useState("");
  const [isSet, setSet] = useState(false);
  const action = useAction(async () => {
    await confirmReset(token ?? "", password);
    // A reset ends every session of the account, perhaps this tab's.
    endSession("logged out");
    setSet(true);
  });

  if (isSet) {
    return (
      <div class="narrow">
        <PageHead title="Your password is set">
          All sessions of the account have ended. Your API keys still work, unless this was the
          first time that you confirmed your email: then create new ones.
        </PageHead>
        <Link class="button" to="/login">
          Log in
        </Link>
      </div>
    );
  }
  return (
    <div class="narrow">
      <PageHead title="Set a new password" />
      <div class="stack">
        {token === undefined ? (
          <Notice kind="warn">
            Open this page with the link in your mail. The link works once, until the time that the
            mail names.
          </Notice>
        ) : (
          <div class="card">
            <Form action={action} does="Set password">
              <PasswordField isNew value={password} onValue={setPassword} />
            </Form>
          </div>
        )}
        <p class="aside">
          <Link to="/forgot">Send me a new link</Link>
        </p>
      </div>
    </div>
  );
}
