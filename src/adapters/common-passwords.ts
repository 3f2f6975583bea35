let list: Promise<ReadonlySet<string>> | undefined;

/**
 * The common passwords of @zxcvbn-ts/language-common, some 49,000 in lower case. Loaded when the
 * first password is set: it takes 20 ms that a start need not wait for.
 */
export function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  list ??= import("@zxcvbn-ts/language-common").then(
    ({ dictionary }) => new Set(dictionary["passwords-common"].map(String)),
  );
  return list;
}
