import { Type } from "../../platform/shared/json-schema.ts";

export const Password = Type.String({
  format: "password",
  description: "8 to 256 characters after NFKC; common passwords are rejected",
  examples: ["correct horse battery staple"],
});
