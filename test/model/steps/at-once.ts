import assert from "node:assert/strict";
import fc from "fast-check";
import { assertFailure } from "../../support/answers.ts";
import { assertRefusal, assertSuccess, keyRequired, tooManyRequests } from "../expected.ts";
import { ADDRESS_CEILING } from "../limiter.ts";
import type { Model } from "../model.ts";
import {
  type PairName,
  type Person,
  someAddress,
  someNode,
  somePair,
  somePerson,
} from "../names.ts";
import { from } from "../stage.ts";
import { always, type Step, step } from "../step.ts";
import { sendRead } from "./reads.ts";

// What happens at the same instant has no order that a model could foretell; how many succeed, it
// can: of n reads exactly as many as there are units left, of n uses of a token exactly one.

interface Hand {
  readonly person: Person;
  readonly keyNumber: number;
}

const hands: readonly Hand[] = [
  { person: "ada", keyNumber: 1 },
  { person: "ada", keyNumber: 2 },
  { person: "bob", keyNumber: 1 },
];

/** Reads by several keys of several accounts, on both nodes. */
function readsAtOnce(count: number, pair: PairName): Step {
  return step({
    kind: "reads at once",
    sentence: `all keys of ada and bob read ${pair} ${count} times each at once`,
    can: (model) => hands.some(({ person, keyNumber }) => model.key(person, keyNumber)),
    async run(model, stage) {
      const present = hands.filter(({ person, keyNumber }) => model.key(person, keyNumber));
      const reads = Array.from({ length: count }, (_, turn) => turn).flatMap((turn) =>
        present.map((hand) => ({ ...hand, asked: pair, node: (turn % 2) as 0 | 1 })),
      );
      const answers = await Promise.all(
        reads.map(async (read) => ({ read, answer: await sendRead(model, stage, read) })),
      );

      let granted = 0;
      for (const person of ["ada", "bob"] as const) {
        const own = answers.filter(({ read }) => read.person === person);
        const isRevoked = ({ read }: (typeof own)[number]) =>
          model.key(person, read.keyNumber)?.revokedMs !== undefined;
        for (const { answer } of own.filter(isRevoked)) assertRefusal(answer, keyRequired);
        const valid = own.filter((each) => !isRevoked(each));
        granted += chargeAll(model, person, valid);
      }
      return granted === answers.length ? "all charged" : "some refused";
    },
  });
}

/** @returns how many were charged: as many as were left, and no two were told the same rest. */
function chargeAll(
  model: Model,
  person: Person,
  reads: readonly { read: Hand; answer: Awaited<ReturnType<typeof sendRead>> }[],
): number {
  const account = model.accounts.get(person);
  if (account === undefined) return 0;
  const left = model.unitsLeft(account);
  const charged = reads.filter(({ answer }) => answer.status !== 429);
  assert.equal(charged.length, Math.min(reads.length, left), `${person} had ${left} units left`);
  const rests = charged.map(({ answer }) =>
    Number(answer.headers.ratelimit?.match(/;r=([0-9]+);/)?.[1]),
  );
  const expected = charged.map((_, index) => left - 1 - index);
  assert.deepEqual(
    rests.toSorted((a, b) => b - a),
    expected,
  );
  for (const { answer } of reads) {
    if (answer.status === 429) assertFailure(answer, 429, "quota_exceeded");
    else assert.ok([200, 404, 503].includes(answer.status), answer.text);
  }
  for (const { read } of charged) {
    account.charges.push({ atMs: model.nowMs, keyNumber: read.keyNumber });
  }
  return charged.length;
}

export const someReadsAtOnce = fc
  .tuple(fc.constantFrom(2, 3, 8, 14), somePair)
  .map((chosen) => readsAtOnce(...chosen));

/** A key is revoked while it reads: what was served is charged, and nothing is served after. */
export const someRevocationAmidReads = fc
  .tuple(somePerson, fc.constantFrom(1, 2, 3))
  .map(([person, keyNumber]) =>
    step({
      kind: "revoke amid reads",
      sentence: `${person} revokes key ${keyNumber} amid 12 reads by it`,
      can: (model) => {
        const session = model.session(person, 0);
        const key = model.key(person, keyNumber);
        const isActive = key !== undefined && key.revokedMs === undefined;
        return isActive && session !== undefined && model.isValid(session);
      },
      async run(model, stage) {
        const key = model.key(person, keyNumber);
        const account = model.account(person);
        assert.ok(key !== undefined);
        const read = (node: 0 | 1) =>
          sendRead(model, stage, { person, keyNumber, asked: "EUR/USD", node });
        const session = model.session(person, 0)?.token ?? "";
        const before = [0, 1, 0, 1, 0, 1].map((node) => read(node as 0 | 1));
        const revoked = stage.call(0, "DELETE", `/v1/account/api-keys/${key.id}`, { session });
        const beside = [0, 1, 0, 1, 0, 1].map((node) => read(node as 0 | 1));
        assertSuccess(await revoked, 204);
        const late = await Promise.all([read(0), read(1)]);
        const answers = await Promise.all([...before, ...beside]);

        for (const answer of late) assertRefusal(answer, keyRequired);
        const left = model.unitsLeft(account);
        const charged = answers.filter(({ status }) => status !== 401 && status !== 429);
        const refused = answers.filter(({ status }) => status === 429);
        assert.ok(charged.length <= left && (refused.length === 0 || charged.length === left));
        for (const _ of charged) account.charges.push({ atMs: model.nowMs, keyNumber });
        key.revokedMs = model.nowMs;
        return "refused ever after";
      },
    }),
  );

/** The same token by several at once. */
export const someTokenAtOnce = fc.tuple(somePerson, someNode).map(([person, node]) =>
  step({
    kind: "a token at once",
    sentence: `${person} verifies by the last verification token five times at once`,
    can: (model) => model.token(person, "verification", 0) !== undefined,
    async run(model, stage) {
      const token = model.token(person, "verification", 0);
      assert.ok(token !== undefined);
      const json = { token: token.text };
      const path = "/v1/auth/verification";
      const answers = await Promise.all(
        [0, 1, 2, 3, 4].map((turn) =>
          stage.call(turn % 2 === node ? 0 : 1, "POST", path, { json }),
        ),
      );
      const owner = model.ownerOf(token, "verification");
      const good = answers.filter(({ status }) => status === 204);
      const refused = answers.filter(({ status }) => status !== 204);
      assert.equal(good.length, owner === undefined ? 0 : 1);
      for (const answer of refused) assertFailure(answer, 400, "invalid_token");
      token.isSpent = true;
      if (owner !== undefined) owner.isVerified = true;
      return owner === undefined ? "none" : "one";
    },
  }),
);

/** Calls for as many emails: each has a window of its own, and the address one for all. */
function flood(count: number): Step {
  return step({
    kind: "a flood from one address",
    sentence: `${count} strangers ask for a reset mail from the office at once`,
    can: always,
    async run(model, stage) {
      const headers = from(stage, "the office");
      const path = "/v1/auth/password-reset";
      const strangers = Array.from({ length: count }, (_, index) => `stranger-${index}`);
      const answers = await Promise.all(
        strangers.map((stranger, index) => {
          const json = { email: `${stranger}-${stage.emailOf("nobody")}` };
          return stage.call((index % 2) as 0 | 1, "POST", path, { json, headers });
        }),
      );

      const waits = strangers.map((stranger) =>
        model.limiter.spend("the office", stranger, model.nowMs),
      );
      const passed = answers.filter(({ status }) => status === 202);
      const refused = answers.filter(({ status }) => status !== 202);
      assert.equal(passed.length, waits.filter((wait) => wait === undefined).length);
      const wait = waits.find((each) => each !== undefined) ?? 0;
      for (const answer of passed) assertSuccess(answer, 202, {});
      for (const answer of refused) assertRefusal(answer, tooManyRequests(wait));
      return refused.length === 0 ? "all pass" : "some refused";
    },
  });
}

export const someFlood = fc.constant(flood(ADDRESS_CEILING / 2 + 5));

/** Log-ins with a wrong password at once: the budget lets exactly its rest through. */
export const someGuesses = fc.tuple(somePerson, someAddress).map(([person, address]) =>
  step({
    kind: "guesses at once",
    sentence: `somebody guesses ${person}'s password six times at once from ${address}`,
    can: always,
    async run(model, stage) {
      const json = { email: stage.emailOf(person), password: "none of them" };
      const headers = from(stage, address);
      const answers = await Promise.all(
        [0, 1, 0, 1, 0, 1].map((node) =>
          stage.call(node as 0 | 1, "POST", "/v1/auth/login", { json, headers }),
        ),
      );
      const waits = answers.map(() => model.limiter.spend(address, person, model.nowMs));
      const statuses = waits.map((wait) => (wait === undefined ? 401 : 429));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), statuses.toSorted());
      const wait = waits.at(-1);
      for (const answer of answers.filter(({ status }) => status === 429)) {
        assertRefusal(answer, tooManyRequests(wait ?? 0));
      }
      return statuses.includes(401) ? "some tried" : "none tried";
    },
  }),
);
