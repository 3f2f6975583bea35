import { Email, Type } from "../../platform/shared/json-schema.ts";
import { Password } from "../passwords/json.ts";

export const RegistrationBody = Type.Object(
  {
    email: Email,
    password: Password,
    invitation: Type.Optional(
      Type.String({
        description:
          "The part after `#invitation=`, up to `&`, in the link of an invitation's mail. The " +
          "account then gets the invitation's plan, and its email is verified.",
      }),
    ),
  },
  // Without an invitation: the API reference's command sends the example as it is.
  { examples: [{ email: "ada@example.org", password: "correct horse battery staple" }] },
);
