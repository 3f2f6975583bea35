import { deletedEmail } from "../deleted-account.ts";
import { Notice } from "./notice.tsx";

/** Confirms on the front page that the account was deleted. */
export function DeletedNotice() {
  if (deletedEmail.value === undefined) return null;
  return (
    <Notice kind="good">
      The account {deletedEmail.value} has been deleted. Its keys no longer work, and you are logged
      out.
    </Notice>
  );
}
