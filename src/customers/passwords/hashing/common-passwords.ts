let list: Promise<ReadonlySet<string>> | undefined;

/**
 * The common passwords of @zxcvbn-ts/language-common, about 49,000 in lower case. Loaded when the
 * first password is set, which takes 20 ms off the start.
 */
export function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  list ??= import("@zxcvbn-ts/language-common").then(
    ({ dictionary }) => new Set(dictionary["passwords-common"].map(String)),
  );
  // The next call tries again: the machine may have run short of a resource.
  list.catch(() => {
    list = undefined;
  });
  return list;
}
