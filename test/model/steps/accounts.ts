import assert from "node:assert/strict";
import fc from "fast-check";
import { DAY_MS, rfc3339 } from "../calendar.ts";
import { assertRefusal, assertSuccess, sessionRequired } from "../expected.ts";
import { AccountState, type Model } from "../model.ts";
import {
  type Mailbox,
  type Person,
  someFromLast,
  someMailbox,
  someNode,
  somePerson,
  wordOf,
} from "../names.ts";
import { always, type Step, step } from "../step.ts";

const EMAIL_TAKEN = { status: 409, code: "email_taken" } as const;
const WRONG_PASSWORD = {
  status: 401,
  code: "unauthorized",
  message: "Email or password is incorrect.",
} as const;
export const BAD_PASSWORD = { status: 400, code: "invalid_request", message: /password/ } as const;
const NOT_VERIFIED = { status: 403, code: "email_not_verified" } as const;

const FIRST_PASSWORD = "quite another passphrase";

/** Records the token of a mail that is sent now. */
export function noteToken(
  { nowMs }: Model,
  account: AccountState,
  purpose: "verification" | "reset",
  text: string,
): void {
  const lifetimeMs = purpose === "verification" ? DAY_MS : DAY_MS / 24;
  account.tokens.push({ purpose, text, endsMs: nowMs + lifetimeMs, isSpent: false });
  account.mailsMs.push(nowMs);
}

export function registration(
  person: Person,
  node: 0 | 1 = 0,
  spelling: "plain" | "loud" | "too short" = "plain",
): Step {
  const how = { plain: "", loud: " in capitals", "too short": " with too short a password" };
  return step({
    kind: "register",
    sentence: `${person} registers${how[spelling]}`,
    can: always,
    async run(model, stage) {
      const email = stage.emailOf(person);
      const json = {
        email: spelling === "loud" ? ` ${email.toUpperCase()} ` : email,
        password: spelling === "too short" ? "x9x8x7x" : FIRST_PASSWORD,
      };
      const answer = await stage.call(node, "POST", "/v1/auth/register", { json });

      if (spelling === "too short") return assertRefusal(answer, BAD_PASSWORD);
      if (model.accounts.has(person)) return assertRefusal(answer, EMAIL_TAKEN);
      const account = new AccountState(person, FIRST_PASSWORD);
      noteToken(model, account, "verification", stage.lastSecret());
      model.accounts.set(person, account);
      const { id } = answer.body;
      assert.equal(typeof id, "string");
      const created_at = rfc3339(model.nowMs);
      return assertSuccess(answer, 201, { id, email, created_at, email_verified: false });
    },
  });
}

export const someRegistration = fc
  .tuple(somePerson, someNode, fc.constantFrom("plain", "plain", "plain", "loud", "too short"))
  .map((chosen) => registration(...chosen));

type Typed = "the password" | "the former password" | "a wrong password";

export function logIn(mailbox: Mailbox, typed: Typed = "the password", node: 0 | 1 = 0): Step {
  const where = node === 1 ? ", where emails must be verified" : "";
  return step({
    kind: "log in",
    sentence: `${mailbox} logs in with ${typed}${where}`,
    can: always,
    async run(model, stage) {
      const account = mailbox === "nobody" ? undefined : model.accounts.get(mailbox);
      const known = typed === "the password" ? account?.password : account?.formerPassword;
      const password = (typed === "a wrong password" ? undefined : known) ?? "none of them";
      const json = { email: stage.emailOf(mailbox), password };
      const answer = await stage.call(node, "POST", "/v1/auth/login", { json });

      if (account?.password !== password) return assertRefusal(answer, WRONG_PASSWORD);
      if (node === 1 && !account.isVerified) return assertRefusal(answer, NOT_VERIFIED);
      const { session_token: token } = answer.body;
      assert.match(String(token), /^svc_sess_\S+$/);
      const endsMs = model.nowMs + DAY_MS;
      account.sessions.push({ token: String(token), endsMs, isEnded: false });
      return assertSuccess(answer, 200, { session_token: token, expires_at: rfc3339(endsMs) });
    },
  });
}

export const someLogIn = fc
  .tuple(
    someMailbox,
    fc.constantFrom<Typed>(
      "the password",
      "the password",
      "the password",
      "the former password",
      "a wrong password",
    ),
    fc.constantFrom<0 | 1>(0, 0, 1),
  )
  .map((chosen) => logIn(...chosen));

export const someLogOut = fc.tuple(somePerson, someFromLast, someNode).map(([person, nth, node]) =>
  step({
    kind: "log out",
    sentence: `${person} ends the ${wordOf(nth)} session`,
    can: (model) => model.session(person, nth) !== undefined,
    async run(model, stage) {
      const session = model.session(person, nth);
      assert.ok(session !== undefined);
      const how = { session: session.token };
      const answer = await stage.call(node, "POST", "/v1/auth/logout", how);
      if (!model.isValid(session)) return assertRefusal(answer, sessionRequired);
      session.isEnded = true;
      return assertSuccess(answer, 204);
    },
  }),
);
