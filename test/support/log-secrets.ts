import assert from "node:assert/strict";

/**
 * Secrets that no log line of any server may contain in any test: credentials, tokens in mailed
 * links, passwords in URLs, and the passwords of the tests' accounts.
 */
const secrets: readonly (readonly [what: string, pattern: RegExp])[] = [
  // The first eight digits belong to the key's prefix, which is not secret.
  ["a credential", /svc_(?:live|sess)_[0-9a-f]{9,}/i],
  ["a mailed token", /token(?:=|%3D)[0-9a-f]{16,}/i],
  // 64 digits are a token without its prefix, or a digest, which a log may not contain either.
  ["a bare secret or digest", /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/],
  // Except for the examples in errors and in the help.
  [
    "a password in a URL",
    /\b(?:postgres(?:ql)?|smtps?|https?):\/\/[^\s/:@"]*:(?!\*|password@)[^\s/@"]+@/i,
  ],
  ["a password", /correct horse battery|quite another passphrase/],
  ["a password's hash", /\$argon2/],
];

/** @throws when a server has logged a secret: the test that started it fails. */
export function assertNoSecrets(log: string): void {
  for (const [what, pattern] of secrets) {
    const found = pattern.exec(log);
    if (found === null) continue;
    const line = log.slice(log.lastIndexOf("\n", found.index) + 1).split("\n", 1)[0];
    assert.fail(`the log contains ${what}: ${line}`);
  }
}
