import assert from "node:assert/strict";
import fc from "fast-check";
import { assertFailure } from "../../support/assertions.ts";
import { assertRefusal, assertSuccess, keyRequired } from "../expected.ts";
import type { Model } from "../model.ts";
import { type PairName, type Person, somePair, somePerson } from "../names.ts";
import { type Step, step } from "../step.ts";
import { sendRead } from "./reads.ts";

// Concurrent calls have no order that a model could predict, but the number of successes is known:
// of n reads exactly as many as there are units left.

interface KeyReader {
  readonly person: Person;
  readonly keyNumber: number;
}

const readers: readonly KeyReader[] = [
  { person: "ada", keyNumber: 1 },
  { person: "ada", keyNumber: 2 },
  { person: "bob", keyNumber: 1 },
];

/** Concurrent reads with several keys of several accounts, on both nodes. */
function readsAtOnce(count: number, pair: PairName): Step {
  return step({
    kind: "reads at once",
    sentence: `all keys of ada and bob read ${pair} ${count} times each at once`,
    can: (model) => readers.some(({ person, keyNumber }) => model.key(person, keyNumber)),
    async run(model, stage) {
      const present = readers.filter(({ person, keyNumber }) => model.key(person, keyNumber));
      const reads = Array.from({ length: count }, (_, index) => index).flatMap((index) =>
        present.map((reader) => ({ ...reader, asked: pair, node: (index % 2) as 0 | 1 })),
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
      return granted === answers.length ? "all charged" : "some rejected";
    },
  });
}

/** @returns the number of charged reads; no two responses show the same remaining units. */
function chargeAll(
  model: Model,
  person: Person,
  reads: readonly { read: KeyReader; answer: Awaited<ReturnType<typeof sendRead>> }[],
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

/** A key is revoked during reads: served reads are charged, and later ones are rejected. */
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
        const during = [0, 1, 0, 1, 0, 1].map((node) => read(node as 0 | 1));
        assertSuccess(await revoked, 204);
        const late = await Promise.all([read(0), read(1)]);
        const answers = await Promise.all([...before, ...during]);

        for (const answer of late) assertRefusal(answer, keyRequired);
        const left = model.unitsLeft(account);
        const charged = answers.filter(({ status }) => status !== 401 && status !== 429);
        const rejected = answers.filter(({ status }) => status === 429);
        assert.ok(charged.length <= left && (rejected.length === 0 || charged.length === left));
        for (const _ of charged) account.charges.push({ atMs: model.nowMs, keyNumber });
        key.revokedMs = model.nowMs;
        return "rejected from then on";
      },
    }),
  );
