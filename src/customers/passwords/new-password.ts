import { Failure } from "../../platform/shared/failure.ts";
import type { Passwords } from "./passwords.ts";
import { normalizePassword, passwordProblem } from "./rules.ts";

/**
 * Checks and hashes an account's new password.
 *
 * @param email of the account, in normal form.
 * @returns its stored form.
 * @throws {Failure} `invalid_request` with the rule that it breaks.
 */
export type HashNewPassword = (typed: string, email: string) => Promise<string>;

export function createHashNewPassword(uses: {
  readonly passwords: Passwords;
  readonly loadCommonPasswords: () => Promise<ReadonlySet<string>>;
}): HashNewPassword {
  const { passwords, loadCommonPasswords } = uses;
  return async (typed, email) => {
    const password = normalizePassword(typed);
    const common = await loadCommonPasswords();
    const problem = passwordProblem(password, email, (text) => common.has(text.toLowerCase()));
    if (problem !== undefined) throw new Failure("invalid_request", problem);
    return await passwords.hash(password);
  };
}
