import { useState } from "preact/hooks";
import { useAction } from "../loading.ts";
import { whereMailIs } from "../mail.ts";
import { EmailField } from "./field.tsx";
import { Form } from "./form.tsx";
import { Notice } from "./notice.tsx";

interface MailRequestProps {
  /** The button's text. */
  readonly does: string;
  readonly email: string;
  readonly onEmail: (email: string) => void;
  readonly request: (email: string) => Promise<unknown>;
}

/** Requests a mail. The service does not reveal whether an account exists; nor does this text. */
export function MailRequest({ does, email, onEmail, request }: MailRequestProps) {
  const [sentTo, setSentTo] = useState<string | undefined>(undefined);
  const action = useAction(async () => {
    setSentTo(undefined);
    await request(email);
    setSentTo(email);
  });
  return (
    <div class="stack">
      <div class="card">
        <Form action={action} does={does}>
          <EmailField value={email} onValue={onEmail} />
        </Form>
      </div>
      {sentTo === undefined ? null : (
        <Notice kind="good">
          If there is an account for {sentTo}, {whereMailIs}
        </Notice>
      )}
    </div>
  );
}
