let list: Promise<ReadonlySet<string>> | undefined;

/**
 * The common passwords of @zxcvbn-ts/language-common, some 49,000 in lower case. Loaded when the
 * first password is set: it takes 20 ms that a start need not wait for.
 */
export function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  list ??= import("@zxcvbn-ts/language-common").then(
    ({ dictionary }) => new Set(dictionary["passwords-common"].map(String)),
  );
  // A machine that is short of something has it again later.
  list.catch(() => {
    list = undefined;
  });
  return list;
}
