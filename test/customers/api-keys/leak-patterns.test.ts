import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isApiKey } from "../../../src/customers/api-keys/rules.ts";
import { isSessionToken } from "../../../src/customers/sessions/rules.ts";
import { ROOT } from "../../architecture/tree.ts";
import { assertFailure } from "../../support/assertions.ts";
import { startSharedService } from "../../support/service.ts";

// The patterns in deploy/ that find leaked credentials, on credentials that the service issued.

const GITLEAKS = join(ROOT, "deploy/gitleaks.toml");

const service = await startSharedService();

const { session, apiKey } = await service.newCustomer();

interface Pattern {
  readonly name: string;
  readonly regex: RegExp;
}

/** A field of a rule in gitleaks.toml, as `name = "value"` or `name = '''value'''`. */
function tomlField(rule: string, name: string): string {
  const [, , value = ""] =
    new RegExp(`^${name} = ("|'''|)(.+?)\\1$`, "m").exec(rule) ?? assert.fail(`no ${name}`);
  return value;
}

/** A field of a pattern in github-secret-scanning.yml, in single quotes. */
function yamlField(pattern: string, name: string): string {
  const [, value = ""] = new RegExp(`^(?:- |  )${name}: '(.*)'$`, "m").exec(pattern) ?? [];
  return value;
}

const rules = readFileSync(GITLEAKS, "utf8").split("[[rules]]").slice(1);

const gitleaks = rules.map((rule) => ({
  name: tomlField(rule, "id"),
  regex: new RegExp(tomlField(rule, "regex"), "g"),
  keyword: tomlField(rule, "keywords").replaceAll(/[[\]"]/g, ""),
  entropyMin: Number(tomlField(rule, "entropy")),
}));

const github = readFileSync(join(ROOT, "deploy/github-secret-scanning.yml"), "utf8")
  .split(/^(?=- )/m)
  .slice(1)
  .map((pattern) => {
    const [before = "", secret = "", after = ""] = [
      "before_secret",
      "secret_format",
      "after_secret",
    ]
      .map((name) => yamlField(pattern, name))
      // Hyperscan's anchors of a whole text.
      .map((expression) => expression.replace("\\A", "^").replace("\\z", "$"));
    return {
      name: yamlField(pattern, "pattern_name"),
      regex: new RegExp(`(?:${before})(${secret})(?:${after})`, "g"),
      testString: yamlField(pattern, "test_string"),
    };
  });

const [gitleaksKey, gitleaksSession] = gitleaks;
const [githubKey, githubSession] = github;
assert.ok(gitleaksKey && gitleaksSession && githubKey && githubSession);

const found = (pattern: Pattern, text: string) =>
  [...text.matchAll(pattern.regex)].map(([, credential]) => credential);

/** Texts in which credentials leak. */
const surroundings: Readonly<Record<string, (credential: string) => string>> = {
  "a text of its own": (credential) => credential,
  "an .env file": (credential) => `PORT=8080\nKURS_API_KEY=${credential}\nDEBUG=1\n`,
  "a JSON file": (credential) => JSON.stringify({ headers: { Authorization: credential } }),
  "a YAML file": (credential) => `env:\n  - name: KURS\n    value: ${credential}\n`,
  "source code": (credential) => `const headers = { Authorization: "ApiKey ${credential}" };`,
  "the log of a proxy": (credential) => `GET /?auth=ApiKey%20${credential} HTTP/1.1" 404`,
  "a quoted log line": (credential) => JSON.stringify({ message: `sent:\n${credential}\n` }),
  "a URL": (credential) => `https://rates.example.org/?key=${credential}&base=EUR`,
  "Windows line ends": (credential) => `key: ${credential}\r\nnext: 1\r\n`,
};

const nearMisses: Readonly<Record<string, (credential: string) => string>> = {
  "one digit too few": (credential) => credential.slice(0, -1),
  "one digit too many": (credential) => `${credential}0`,
  "upper-case digits": (credential) => credential.slice(0, 9) + "A".repeat(64),
  "an upper-case prefix": (credential) =>
    credential.toUpperCase().slice(0, 9) + credential.slice(9),
  "another prefix": (credential) => `svc_test_${credential.slice(9)}`,
  "no prefix": (credential) => credential.slice(9),
  "a line break within": (credential) => `${credential.slice(0, 40)}\n${credential.slice(40)}`,
  "the prefix that lists show": (credential) => `${credential.slice(0, 17)}…`,
};

const both = [
  { what: "an API key", credential: apiKey, its: [gitleaksKey, githubKey] },
  { what: "a session token", credential: session, its: [gitleaksSession, githubSession] },
] as const;

const patterns: readonly Pattern[] = [...gitleaks, ...github];

for (const { what, credential, its } of both) {
  test(`leaks: the patterns find ${what} wherever it stands, and only its own ones do`, () => {
    for (const [where, leak] of Object.entries(surroundings)) {
      for (const pattern of patterns) {
        const expected = its.some((own) => own === pattern) ? [credential] : [];
        assert.deepEqual(found(pattern, leak(credential)), expected, `${pattern.name} in ${where}`);
      }
    }
  });

  test(`leaks: no pattern finds what only resembles ${what}`, () => {
    for (const [miss, near] of Object.entries(nearMisses)) {
      for (const pattern of patterns) {
        const text = `KURS=${near(credential)}\n`;
        assert.deepEqual(found(pattern, text), [], `${pattern.name}: ${miss}`);
      }
    }
  });
}

test("leaks: the patterns find every one of several credentials in a line", () => {
  const line = [apiKey, session, apiKey].join(",");

  for (const { its, credential } of both) {
    const count = credential === apiKey ? 2 : 1;
    for (const pattern of its) assert.equal(found(pattern, line).length, count, pattern.name);
  }
});

/** Shannon's entropy in bits per character, as gitleaks computes it. */
function entropyOf(text: string): number {
  const shares = Map.groupBy(text, (character) => character)
    .values()
    .map(({ length }) => length / text.length);
  return shares.reduce((sum, share) => sum - share * Math.log2(share), 0);
}

test("leaks: gitleaks' entropy and keywords exclude placeholders, and no issued credential", () => {
  for (const [index, { keyword, entropyMin }] of gitleaks.entries()) {
    const credential = [apiKey, session][index] ?? "";
    assert.ok(credential.startsWith(keyword));
    assert.ok(entropyOf(credential) > entropyMin, `${entropyOf(credential)}`);
    for (const digits of ["0", "f", "3f", "beef"]) {
      assert.ok(entropyOf(keyword + digits.repeat(64 / digits.length)) < entropyMin, digits);
    }
  }
});

test("leaks: GitHub's test strings match, and no account has such a key or session", async () => {
  const [key = "", token = ""] = github.flatMap((pattern) => found(pattern, pattern.testString));

  assert.deepEqual([key, token], [`svc_live_${"0".repeat(64)}`, `svc_sess_${"0".repeat(64)}`]);
  assert.ok(isApiKey(key) && isSessionToken(token));
  assertFailure(await service.get("/v1/rates/EUR/USD", { apiKey: key }), 401, "unauthorized");
  assertFailure(await service.get("/v1/account/usage", { session: token }), 401, "unauthorized");
});
