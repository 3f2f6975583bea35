import assert from "node:assert/strict";
import fc from "fast-check";
import { assertRefusal, assertSuccess } from "../expected.ts";
import { type AccountState, endedMs, type Model, type Purpose } from "../model.ts";
import {
  type FromLast,
  type Mailbox,
  someMailbox,
  someNode,
  somePerson,
  wordOf,
} from "../names.ts";
import { step } from "../step.ts";
import { BAD_PASSWORD, noteToken } from "./accounts.ts";

const INVALID_TOKEN = { status: 400, code: "invalid_token" } as const;

const accountOf = (model: Model, mailbox: Mailbox): AccountState | undefined =>
  mailbox === "nobody" ? undefined : model.accounts.get(mailbox);

const orders = [
  ["verification", "/v1/auth/verification/resend", "another verification mail"],
  ["reset", "/v1/auth/password-reset", "a reset mail"],
] as const;

/** A request for a mail; the response is the same with and without an account. */
export const someOrder = fc
  .tuple(fc.constantFrom(...orders, orders[1], orders[1]), someMailbox, someNode)
  .map(([[purpose, path, words], mailbox, node]) =>
    step({
      kind: `ask for a ${purpose} mail`,
      sentence: `${mailbox} asks for ${words}`,
      can: (model) => !accountOf(model, mailbox)?.mayHaveBeenWarned(model.nowMs),
      async run(model, stage) {
        const json = { email: stage.emailOf(mailbox) };
        const answer = await stage.call(node, "POST", path, { json });
        const account = accountOf(model, mailbox);
        const isDue =
          account !== undefined &&
          (purpose === "reset" || !account.isVerified) &&
          account.mayBeMailed(purpose, model.nowMs);
        if (isDue) noteToken(model, account, purpose, stage.lastSecret());
        return assertSuccess(answer, 202, {});
      },
    }),
  );

const someToken = {
  person: somePerson,
  purpose: fc.constantFrom<Purpose>("verification", "reset"),
  nth: fc.constantFrom<FromLast>(0, 0, 0, 1),
  node: someNode,
};

/** Now and then a token of the other purpose, which is invalid. */
const isOwnKind = fc.integer({ min: 0, max: 9 }).map((chance) => chance > 0);

export const someVerification = fc
  .record({ ...someToken, isOwn: isOwnKind })
  .map(({ person, nth, node, isOwn }) => {
    const purpose = isOwn ? "verification" : "reset";
    return step({
      kind: "verify",
      sentence: `${person} verifies by the ${wordOf(nth)} ${purpose} token`,
      can: (model) => model.token(person, purpose, nth) !== undefined,
      async run(model, stage) {
        const token = model.token(person, purpose, nth);
        assert.ok(token !== undefined);
        const json = { token: token.text };
        const answer = await stage.call(node, "POST", "/v1/auth/verification", { json });
        const owner = model.ownerOf(token, "verification");
        if (owner === undefined) return assertRefusal(answer, INVALID_TOKEN);
        owner.spend(token);
        owner.isVerified = true;
        return assertSuccess(answer, 204);
      },
    });
  });

const passwords = ["a second passphrase", "a third passphrase", "quite another passphrase"];

export const someReset = fc
  .record({
    ...someToken,
    isOwn: isOwnKind,
    password: fc.constantFrom(...passwords, ...passwords, "x9x8x7x"),
  })
  .map(({ person, nth, node, isOwn, password }) => {
    const purpose = isOwn ? "reset" : "verification";
    return step({
      kind: "reset the password",
      sentence: `${person} resets the password to "${password}" by the ${wordOf(nth)} ${purpose} token`,
      can: (model) => model.token(person, purpose, nth) !== undefined,
      async run(model, stage) {
        const token = model.token(person, purpose, nth);
        assert.ok(token !== undefined);
        const how = { json: { token: token.text, password } };
        const answer = await stage.call(node, "POST", "/v1/auth/password-reset/confirm", how);
        const owner = model.ownerOf(token, "reset");
        if (owner === undefined) return assertRefusal(answer, INVALID_TOKEN);
        if (password.length < 8) {
          return assertRefusal(answer, BAD_PASSWORD);
        }
        owner.spend(token);
        if (!owner.isVerified) {
          for (const key of owner.keys) key.revokedMs = endedMs(key, model.nowMs) ?? model.nowMs;
        }
        owner.isVerified = true;
        owner.mailsMs.push(model.nowMs);
        owner.formerPassword = owner.password;
        owner.password = password;
        for (const session of owner.sessions) session.isEnded = true;
        return assertSuccess(answer, 204);
      },
    });
  });
