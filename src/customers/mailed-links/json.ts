import { Email, Type } from "../../platform/shared/json-schema.ts";
import { Password } from "../passwords/json.ts";

const MailToken = Type.String({
  description: "The part after `#token=` in the link of a mail",
  examples: ["3f".repeat(32)],
});

export const EmailBody = Type.Object({ email: Email });

export const MailTokenBody = Type.Object({ token: MailToken });

export const NewPasswordBody = Type.Object({ token: MailToken, password: Password });
