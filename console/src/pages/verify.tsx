import { useEffect, useState } from "preact/hooks";
import { resendVerification, verifyEmail } from "../api/access.ts";
import { Link } from "../components/link.tsx";
import { MailRequest } from "../components/mail-request.tsx";
import { ErrorNotice, Notice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { useAction } from "../loading.ts";
import { takeToken } from "../router.ts";
import { session } from "../session.ts";

/** The page of a verification mail's link. */
export function VerifyPage() {
  const [token] = useState(takeToken);
  const [isVerified, setVerified] = useState(false);
  const [email, setEmail] = useState(session.peek()?.email ?? "");
  const action = useAction(async () => {
    await verifyEmail(token ?? "");
    setVerified(true);
  });
  useEffect(() => {
    if (token !== undefined) action.run();
  }, []);

  if (isVerified) return <Verified />;
  if (token !== undefined && action.error === undefined) {
    return (
      <div class="narrow">
        <PageHead title="Confirming your email" />
        <Skeleton what="the confirmation" heightRem={2.5} />
      </div>
    );
  }
  return (
    <div class="narrow">
      <PageHead title="Confirm your email" />
      <div class="stack">
        {token === undefined ? (
          <Notice kind="warn">
            Open this page with the link in your mail. The link works once, for 24 hours.
          </Notice>
        ) : (
          <ErrorNotice error={action.error} />
        )}
        <h2>Send me a new link</h2>
        <MailRequest
          does="Send link"
          email={email}
          onEmail={setEmail}
          request={resendVerification}
        />
      </div>
    </div>
  );
}

function Verified() {
  const isOwner = session.value !== undefined;
  return (
    <div class="narrow">
      <PageHead title="Your email is confirmed">
        {isOwner ? "You are all set." : "Log in to create an API key and see your usage."}
      </PageHead>
      <Link class="button" to={isOwner ? "/keys" : "/login"}>
        {isOwner ? "Go to your keys" : "Log in"}
      </Link>
    </div>
  );
}
