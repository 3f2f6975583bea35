import assert from "node:assert/strict";

/**
 * What may stand in no line of any server's log, whatever a test did to it: credentials, tokens of
 * mails in their links, passwords of addresses and those that the tests' accounts have.
 */
const secrets: readonly (readonly [what: string, pattern: RegExp])[] = [
  // The first eight digits are the key's prefix, which is no secret.
  ["a credential", /svc_(?:live|sess)_[0-9a-f]{9,}/i],
  ["a token of a mail", /token(?:=|%3D)[0-9a-f]{16,}/i],
  // 64 digits are a bare token, or a digest, which is no business of a log either.
  ["a bare secret or digest", /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/],
  // But for the one of the examples that errors and help show.
  [
    "a password of an address",
    /\b(?:postgres(?:ql)?|smtps?|https?):\/\/[^\s/:@"]*:(?!\*|password@)[^\s/@"]+@/i,
  ],
  ["a password", /correct horse battery|quite another passphrase/],
  ["a password's stored form", /\$argon2/],
];

/** @throws when a server has logged a secret: the test that started it fails. */
export function assertNoSecrets(log: string): void {
  for (const [what, pattern] of secrets) {
    const found = pattern.exec(log);
    if (found === null) continue;
    const line = log.slice(log.lastIndexOf("\n", found.index) + 1).split("\n", 1)[0];
    assert.fail(`the log holds ${what}: ${line}`);
  }
}
