import assert from "node:assert/strict";
import type { PasswordReset } from "../../../src/mailed-links/store.ts";
import { sessionRequired } from "../../../src/shared/failure.ts";
import type { Store } from "../../../src/store.ts";
import {
  accepts,
  BY,
  byAt,
  bySession,
  contentsOf,
  KEY_LIMITS,
  keysOf,
  NOW,
  newHash,
  newId,
  newKey,
  newRegistration,
  newResetToken,
  newSession,
  type StoreTest,
  tenOnTwoNodes,
  UNCHANGED,
} from "./database.ts";

const LATER = "2026-11-21T12:30:00.000Z";
const VERIFICATION_END = "2026-11-22T12:00:00.000Z";
const RESET_END = "2026-11-21T13:00:00.000Z";

/** An account with a token of each purpose. */
async function newResetting(store: Store) {
  const registration = await newRegistration(store);
  const reset = newResetToken();
  await store.mailTokens.issue(registration.email, reset, BY);
  return { ...registration, reset };
}

const resetOf = (tokenHash: string, change: Partial<PasswordReset> = {}): PasswordReset => ({
  tokenHash,
  passwordHash: "$argon2id$second",
  mailId: newId(),
  ...change,
});

export function verificationSuite(test: StoreTest): void {
  test("a token verifies its own account's email, once", async (store, engine) => {
    const { account, email, verification, reset } = await newResetting(store);
    const other = await newRegistration(store);

    assert.equal(await store.mailTokens.verifyEmail(verification.tokenHash, byAt(LATER)), true);

    const verified = { ...account, emailVerifiedAt: LATER };
    assert.deepEqual(await store.accounts.findByEmail(email), verified);
    assert.deepEqual(await store.accounts.findByEmail(other.email), other.account);
    const emailOf = (token: typeof reset) =>
      store.mailTokens.findEmail(token.tokenHash, token.purpose, NOW);
    assert.equal(await emailOf(verification), undefined);
    assert.equal(await emailOf(reset), email);
    assert.equal(await emailOf(other.verification), other.email);
    const after = await contentsOf(engine);
    assert.equal(
      await store.mailTokens.verifyEmail(verification.tokenHash, byAt(VERIFICATION_END)),
      false,
    );
    assert.deepEqual(await contentsOf(engine), after);
  });

  test("a verified email keeps its verification time, and the token becomes invalid", async (store) => {
    const { account, email, verification } = await newRegistration(store);
    await store.accounts.markEmailVerified(email, BY);

    assert.equal(await store.mailTokens.verifyEmail(verification.tokenHash, byAt(LATER)), true);

    const verified = { ...account, emailVerifiedAt: NOW };
    assert.deepEqual(await store.accounts.findByEmail(email), verified);
    assert.equal(await store.mailTokens.verifyEmail(verification.tokenHash, byAt(LATER)), false);
  });

  test("a token that is expired, unknown or for another purpose verifies nothing", async (store, engine) => {
    const { verification, reset } = await newResetting(store);
    const before = await contentsOf(engine);

    assert.equal(
      await store.mailTokens.verifyEmail(verification.tokenHash, byAt(VERIFICATION_END)),
      false,
    );
    assert.equal(await store.mailTokens.verifyEmail(reset.tokenHash, BY), false);
    assert.equal(await store.mailTokens.verifyEmail(verification.token, BY), false);
    assert.equal(await store.mailTokens.verifyEmail(newHash(), BY), false);

    assert.deepEqual(await contentsOf(engine), before);
    const lastMoment = "2026-11-22T11:59:59.999Z";
    assert.equal(
      await store.mailTokens.verifyEmail(verification.tokenHash, byAt(lastMoment)),
      true,
    );
  });

  test("of ten concurrent verifications with one token on two nodes, one succeeds", async (here, _, there) => {
    const stores = [here, there] as const;
    const { verification } = await newRegistration(stores[0]);

    const verified = await tenOnTwoNodes(stores, (store) =>
      store.mailTokens.verifyEmail(verification.tokenHash, byAt(LATER)),
    );

    assert.equal(verified.filter((one) => one).length, 1);
  });
}

export function passwordResetSuite(test: StoreTest): void {
  test("a reset sets the password, verifies the email and sends a notice", async (store) => {
    const { account, email, verification, reset } = await newResetting(store);
    const other = await newResetting(store);
    for (const { mailId } of [verification, reset, other.verification, other.reset]) {
      await store.mails.markDelivered(mailId, NOW);
    }
    const use = resetOf(reset.tokenHash);

    assert.equal(await store.mailTokens.resetPassword(use, byAt(LATER)), true);

    const { passwordHash, mailId: id } = use;
    const changed = { ...account, passwordHash, emailVerifiedAt: LATER };
    assert.deepEqual(await store.accounts.findByEmail(email), changed);
    assert.deepEqual(await store.accounts.findByEmail(other.email), other.account);
    const notice = { id, kind: "password_changed", email, createdAt: LATER };
    assert.deepEqual(await store.mails.claim({ now: LATER, until: RESET_END, limit: 10 }), [
      { ...notice, link: undefined, attempts: 1 },
    ]);
    const emailOf = (hash: string) => store.mailTokens.findEmail(hash, "password_reset", LATER);
    assert.equal(await emailOf(reset.tokenHash), undefined);
    assert.equal(await emailOf(other.reset.tokenHash), other.email);
    assert.equal(
      await store.mailTokens.resetPassword(resetOf(reset.tokenHash), byAt(LATER)),
      false,
    );
    assert.deepEqual(await store.accounts.findByEmail(email), changed);
  });

  test("a reset of a verified account ends only its own sessions and revokes no API key", async (store) => {
    const [{ account, reset }, other] = [await newResetting(store), await newResetting(store)];
    await store.accounts.markEmailVerified(account.email, BY);
    const ended = [newSession(account.id), newSession(account.id), newSession(account.id)];
    const foreign = newSession(other.account.id);
    for (const session of [...ended, foreign]) await store.sessions.create(session, UNCHANGED, BY);
    const key = newKey(account.id);
    await store.keys.create(key, KEY_LIMITS, BY);

    await store.mailTokens.resetPassword(resetOf(reset.tokenHash), byAt(LATER));

    for (const { tokenHash } of ended) {
      assert.equal(await store.sessions.findAccount(tokenHash, NOW), undefined);
    }
    assert.equal(await store.sessions.findAccount(foreign.tokenHash, NOW), other.account.id);
    assert.equal((await keysOf(store, account.id))[0]?.revokedAt, undefined);
    assert.ok(await accepts(store, key));
  });

  test("a reset that verifies the email for the first time revokes only the account's own keys", async (store) => {
    const [{ account, email, reset }, other] = [
      await newResetting(store),
      await newResetting(store),
    ];
    const [active, revoked, foreign] = [
      newKey(account.id),
      newKey(account.id),
      newKey(other.account.id),
    ];
    for (const key of [active, revoked, foreign]) await store.keys.create(key, KEY_LIMITS, BY);
    await store.keys.revoke(account.id, revoked.id, BY);
    assert.ok(await accepts(store, active));

    await store.mailTokens.resetPassword(resetOf(reset.tokenHash), byAt(LATER));

    const revokedAt = (await keysOf(store, account.id)).map((key) => key.revokedAt);
    assert.deepEqual(revokedAt, [LATER, NOW]);
    assert.ok(!(await accepts(store, active)));
    assert.ok(await accepts(store, foreign));
    // The owner has now proved the email, so another reset does not revoke keys.
    const later = newKey(account.id);
    await store.keys.create(later, KEY_LIMITS, BY);
    const second = newResetToken();
    await store.mailTokens.issue(email, second, BY);
    assert.equal(
      await store.mailTokens.resetPassword(resetOf(second.tokenHash), byAt(LATER)),
      true,
    );
    assert.ok(await accepts(store, later));
  });

  test("a first reset during concurrent key creations on two nodes leaves no active key", async (here, _, there) => {
    const stores = [here, there] as const;
    const { account, reset } = await newResetting(stores[0]);
    const session = newSession(account.id);
    await stores[0].sessions.create(session, UNCHANGED, BY);

    await tenOnTwoNodes(stores, async (store, index) => {
      if (index === 5) await store.mailTokens.resetPassword(resetOf(reset.tokenHash), byAt(LATER));
      const created = store.keys.create(newKey(account.id), KEY_LIMITS, bySession(session));
      await created.catch((error) => assert.equal(error, sessionRequired));
    });

    const keys = await keysOf(stores[1], account.id);
    assert.deepEqual(
      keys.filter(({ revokedAt }) => revokedAt === undefined),
      [],
    );
  });

  test("of ten concurrent resets with four tokens on two nodes, one succeeds and voids all tokens", async (here, _, there) => {
    const stores = [here, there] as const;
    const { email, verification, reset } = await newResetting(stores[0]);
    const tokens = [reset, newResetToken(), newResetToken(), newResetToken()];
    for (const token of tokens.slice(1)) await stores[0].mailTokens.issue(email, token, BY);
    assert.equal(
      await stores[1].mailTokens.findEmail(reset.tokenHash, "password_reset", NOW),
      email,
    );

    const done = await tenOnTwoNodes(stores, (store, index) =>
      store.mailTokens.resetPassword(
        resetOf(tokens[index % tokens.length]?.tokenHash ?? ""),
        byAt(LATER),
      ),
    );

    assert.equal(done.filter((one) => one).length, 1);
    for (const { tokenHash } of tokens) {
      assert.equal(
        await stores[0].mailTokens.findEmail(tokenHash, "password_reset", NOW),
        undefined,
      );
    }
    const { tokenHash } = verification;
    assert.equal(await stores[0].mailTokens.findEmail(tokenHash, "verification", NOW), email);
    const mails = await stores[0].mails.list({ withDelivered: true });
    assert.equal(mails.filter(({ kind }) => kind === "password_changed").length, 1);
  });

  test("a reset with a token that is expired, unknown or for another purpose changes nothing", async (store, engine) => {
    const { account, verification, reset } = await newResetting(store);
    await store.sessions.create(newSession(account.id), UNCHANGED, BY);
    const before = await contentsOf(engine);
    const use = (hash: string, now = NOW) =>
      store.mailTokens.resetPassword(resetOf(hash), byAt(now));

    assert.equal(await use(reset.tokenHash, RESET_END), false);
    assert.equal(await use(verification.tokenHash), false);
    assert.equal(await use(reset.token), false);
    assert.equal(await use(newHash()), false);

    assert.deepEqual(await contentsOf(engine), before);
    assert.equal(await use(reset.tokenHash, "2026-11-21T12:59:59.999Z"), true);
  });

  test("a reset changes nothing when its notice cannot be stored", async (store, engine) => {
    const { account, verification, reset } = await newResetting(store);
    await store.sessions.create(newSession(account.id), UNCHANGED, BY);
    const before = await contentsOf(engine);
    const { mailId } = verification;

    await assert.rejects(
      store.mailTokens.resetPassword(resetOf(reset.tokenHash, { mailId }), byAt(LATER)),
    );

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("a reset during concurrent log-ins with the old password on two nodes leaves no session", async (here, _, there) => {
    const stores = [here, there] as const;
    const { account, reset } = await newResetting(stores[0]);
    const sessions = Array.from({ length: 10 }, () => newSession(account.id));

    const before = newSession(account.id);
    assert.equal(await stores[1].sessions.create(before, UNCHANGED, BY), true);

    await tenOnTwoNodes(stores, async (store, index) => {
      if (index === 5) await store.mailTokens.resetPassword(resetOf(reset.tokenHash), byAt(LATER));
      await store.sessions.create(sessions[index] ?? before, UNCHANGED, BY);
    });

    for (const { tokenHash } of [before, ...sessions]) {
      assert.equal(await stores[0].sessions.findAccount(tokenHash, NOW), undefined);
    }
  });
}
