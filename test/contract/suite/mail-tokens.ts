import assert from "node:assert/strict";
import type { PasswordReset } from "../../../src/customers/mailed-links/store.ts";
import { sessionRequired } from "../../../src/platform/shared/failure.ts";
import type { Store } from "../../support/stores.ts";
import {
  accepts,
  KEY_LIMITS,
  keysOf,
  newKey,
  newMailToken,
  newRegistration,
  newResetToken,
  newSession,
  UNCHANGED,
} from "./customers.ts";
import { contentsOf, onTwoNodes, type StoreTest } from "./database.ts";
import { BY, byAt, bySession, NOW, newHash, newId } from "./origins.ts";

const AFTER_ALL = "2026-11-23T12:00:00.000Z";
const LEASED = "2026-11-21T12:00:10.000Z";

/** The time a number of hours after the registration. */
const hoursAfter = (hours: number) => new Date(Date.parse(NOW) + hours * 3_600_000).toISOString();

/** A token of each purpose and the last millisecond at which it is valid. */
const PURPOSES = [
  {
    purpose: "verification",
    newToken: newMailToken,
    otherToken: newResetToken,
    expiresAt: "2026-11-22T12:00:00.000Z",
    lastMoment: "2026-11-22T11:59:59.999Z",
  },
  {
    purpose: "password_reset",
    newToken: newResetToken,
    otherToken: newMailToken,
    expiresAt: "2026-11-21T13:00:00.000Z",
    lastMoment: "2026-11-21T12:59:59.999Z",
  },
] as const;

async function mailIds(store: Store): Promise<string[]> {
  return (await store.mails.list({ withDelivered: true })).map(({ id }) => id);
}

export function mailTokenSuite(test: StoreTest): void {
  issueSuite(test);
  verificationSuite(test);
  passwordResetSuite(test);
}

function issueSuite(test: StoreTest): void {
  for (const { purpose, newToken, otherToken, expiresAt, lastMoment } of PURPOSES) {
    test(`a ${purpose} token is valid until it expires, for its account and purpose, beside newer ones`, async (store, engine) => {
      const [ada, bob] = [await newRegistration(store), await newRegistration(store)];
      const first = newToken({ expiresAt });
      const newer = [newToken(), newToken()];
      const foreign = newToken();
      for (const token of [first, ...newer]) await store.mailTokens.issue(ada.email, token, BY);
      await store.mailTokens.issue(bob.email, foreign, BY);
      const before = await contentsOf(engine);
      const emailOf = (tokenHash: string, now = NOW) =>
        store.mailTokens.findEmail(tokenHash, purpose, now);

      for (const token of newer) assert.equal(await emailOf(token.tokenHash), ada.email);
      assert.equal(await emailOf(foreign.tokenHash), bob.email);
      assert.equal(await emailOf(first.tokenHash), ada.email);
      assert.equal(await emailOf(first.tokenHash, lastMoment), ada.email);
      assert.equal(await emailOf(first.tokenHash, expiresAt), undefined);
      for (const hash of [newHash(), first.token]) assert.equal(await emailOf(hash), undefined);
      const { purpose: other } = otherToken();
      assert.equal(await store.mailTokens.findEmail(first.tokenHash, other, NOW), undefined);
      assert.deepEqual(await contentsOf(engine), before);
      const registered = [ada, bob].map(({ verification }) => verification.mailId);
      const issued = [first, ...newer, foreign].map(({ mailId }) => mailId);
      assert.deepEqual(await mailIds(store), [...registered, ...issued].sort());
    });

    test(`with five valid ${purpose} tokens, beside others, no more are issued until one expires`, async (store, engine) => {
      const { email, verification } = await newRegistration(store);
      const issueAt = async (hours: number, issued = newToken) => {
        const token = issued({ createdAt: hoursAfter(hours), expiresAt: AFTER_ALL });
        await store.mailTokens.issue(email, token, BY);
        const found = store.mailTokens.findEmail(token.tokenHash, token.purpose, hoursAfter(hours));
        return { token, isIssued: (await found) === email };
      };
      // Those of the other purpose do not count.
      for (const hours of [2, 3]) assert.ok((await issueAt(hours, otherToken)).isIssued);
      const room = verification.purpose === purpose ? 4 : 5;
      const issued: Awaited<ReturnType<typeof issueAt>>[] = [];
      for (let hours = 4; hours < 4 + room; hours += 1) issued.push(await issueAt(hours));
      assert.ok(issued.every(({ isIssued }) => isIssued));
      const before = await contentsOf(engine);

      assert.ok(!(await issueAt(10)).isIssued);

      assert.deepEqual(await contentsOf(engine), before);
      const expire = "UPDATE mail_tokens SET expires_at = $1 WHERE token_hash = $2";
      await engine.query(expire, hoursAfter(11), issued[0]?.token.tokenHash ?? "");
      assert.ok((await issueAt(11)).isIssued);
    });

    test(`${purpose} tokens that a clock far ahead has issued do not use up the limit of five`, async (store) => {
      const { email } = await newRegistration(store);
      for (let issued = 0; issued < 5; issued += 1) {
        const ahead = { createdAt: hoursAfter(1000), expiresAt: hoursAfter(1024) };
        await store.mailTokens.issue(email, newToken(ahead), BY);
      }

      const token = newToken({ createdAt: NOW, expiresAt });
      await store.mailTokens.issue(email, token, BY);

      assert.equal(await store.mailTokens.findEmail(token.tokenHash, purpose, NOW), email);
    });

    test(`after five mails within an hour no ${purpose} token is issued, and older ones stay valid`, async (store, engine) => {
      const { email, verification } = await newRegistration(store);
      const [first, second, third, fourth] = [newToken(), otherToken(), newToken(), otherToken()];
      for (const token of [first, second, third, fourth])
        await store.mailTokens.issue(email, token, BY);
      await store.mails.markDelivered(first.mailId, NOW);
      await store.mails.markGivenUp(second.mailId, NOW, "no such mailbox");
      const before = await contentsOf(engine);

      await store.mailTokens.issue(email, newToken(), BY);
      await store.mailTokens.issue(email, newToken({ createdAt: "2026-11-21T12:59:59.999Z" }), BY);

      assert.deepEqual(await contentsOf(engine), before);
      for (const { tokenHash, purpose: of } of [verification, first, second, third, fourth]) {
        assert.equal(await store.mailTokens.findEmail(tokenHash, of, NOW), email);
      }
      const next = newToken({ createdAt: "2026-11-21T13:00:00.000Z", expiresAt: AFTER_ALL });
      await store.mailTokens.issue(email, next, BY);
      assert.equal(await store.mailTokens.findEmail(next.tokenHash, purpose, NOW), email);
    });

    test(`of twelve concurrent ${purpose} tokens on two nodes, the limit of five mails admits four`, async (here, _, there) => {
      const { email, verification } = await newRegistration(here);
      const tokens = Array.from({ length: 12 }, () => newToken());

      await onTwoNodes([here, there], tokens.length, (store, index) =>
        store.mailTokens.issue(email, tokens[index] ?? verification, BY),
      );

      const valid: typeof tokens = [];
      for (const token of tokens) {
        if ((await there.mailTokens.findEmail(token.tokenHash, purpose, NOW)) === email)
          valid.push(token);
      }
      assert.equal(valid.length, 4);
      const mails = await here.mails.claim({ now: NOW, until: LEASED, limit: 30 });
      const links = mails.map(({ link }) => link?.token ?? "").sort();
      assert.deepEqual(links, [verification, ...valid].map(({ token }) => token).sort());
    });

    test(`no ${purpose} token is stored for an unknown email, or without its mail`, async (store, engine) => {
      const [{ email }, other] = [await newRegistration(store), await newRegistration(store)];
      await store.mailTokens.issue(email, newToken(), BY);
      const before = await contentsOf(engine);
      const token = newToken();

      await store.mailTokens.issue("nobody@example.org", token, BY);
      const { mailId } = other.verification;
      await assert.rejects(store.mailTokens.issue(email, newToken({ mailId }), BY));

      assert.deepEqual(await contentsOf(engine), before);
      assert.equal(await store.mailTokens.findEmail(token.tokenHash, purpose, NOW), undefined);
    });
  }

  test("a verified account gets a reset token but no verification token", async (store, engine) => {
    const { email } = await newRegistration(store);
    await store.accounts.markEmailVerified(email, BY);
    const before = await contentsOf(engine);
    const [verification, reset] = [newMailToken(), newResetToken()];

    await store.mailTokens.issue(email, verification, BY);

    assert.deepEqual(await contentsOf(engine), before);
    await store.mailTokens.issue(email, reset, BY);
    assert.equal(await store.mailTokens.findEmail(reset.tokenHash, "password_reset", NOW), email);
    assert.ok((await mailIds(store)).includes(reset.mailId));
  });

  test("an email that gets no token causes the same commit as one that does", async (store, _, other) => {
    const [{ email }, verified] = [await newRegistration(store), await newRegistration(store)];
    await store.accounts.markEmailVerified(verified.email, BY);
    const isSeenByOther = async (requested: string) => {
      await other.status.hasOtherWriters();
      await store.mailTokens.issue(requested, newMailToken(), BY);
      return await other.status.hasOtherWriters();
    };

    const isSeen = await isSeenByOther(email);

    assert.equal(await isSeenByOther(verified.email), isSeen);
    assert.equal(await isSeenByOther("nobody@example.org"), isSeen);
  });

  test("a token is stored only in its waiting mail and removed when the mail ends", async (store, engine) => {
    const { email, verification } = await newRegistration(store);
    const reset = newResetToken();
    await store.mailTokens.issue(email, reset, BY);
    const placesOf = async (secret: string) =>
      Object.entries(await contentsOf(engine)).flatMap(([table, rows]) =>
        rows.flatMap((row) =>
          Object.entries(row).flatMap(([column, value]) =>
            String(value).includes(secret) ? [`${table}.${column} of ${row.id ?? "none"}`] : [],
          ),
        ),
      );

    for (const { token, tokenHash, mailId } of [verification, reset]) {
      assert.deepEqual(await placesOf(token), [`mails.token of ${mailId}`]);
      assert.deepEqual(await placesOf(tokenHash), ["mail_tokens.token_hash of none"]);
    }
    await store.mails.markDelivered(verification.mailId, NOW);
    await store.mails.markGivenUp(reset.mailId, NOW, "no such mailbox");
    for (const { token } of [verification, reset]) assert.deepEqual(await placesOf(token), []);
  });
}

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

function verificationSuite(test: StoreTest): void {
  test("a token verifies its own account's email once, until it expires, and an earlier time stays", async (store, engine) => {
    const { account, email, verification, reset } = await newResetting(store);
    const [other, verified] = [await newRegistration(store), await newRegistration(store)];
    await store.accounts.markEmailVerified(verified.email, BY);
    const { verifyEmail, findEmail } = store.mailTokens;
    const before = await contentsOf(engine);
    assert.equal(await verifyEmail(verification.tokenHash, byAt(VERIFICATION_END)), false);
    for (const hash of [reset.tokenHash, verification.token, newHash()]) {
      assert.equal(await verifyEmail(hash, BY), false);
    }
    assert.deepEqual(await contentsOf(engine), before);

    const lastMoment = "2026-11-22T11:59:59.999Z";
    assert.equal(await verifyEmail(verification.tokenHash, byAt(lastMoment)), true);
    assert.equal(await verifyEmail(verified.verification.tokenHash, byAt(LATER)), true);

    for (const stored of [
      { ...account, emailVerifiedAt: lastMoment },
      other.account,
      { ...verified.account, emailVerifiedAt: NOW },
    ]) {
      assert.deepEqual(await store.accounts.findByEmail(stored.email), stored);
    }
    const tokens = [verification, verified.verification, reset, other.verification];
    const found = tokens.map((token) => findEmail(token.tokenHash, token.purpose, NOW));
    assert.deepEqual(await Promise.all(found), [undefined, undefined, email, other.email]);
    const after = await contentsOf(engine);
    for (const { tokenHash } of [verification, verified.verification]) {
      assert.equal(await verifyEmail(tokenHash, byAt(LATER)), false);
    }
    assert.deepEqual(await contentsOf(engine), after);
  });

  test("of ten concurrent verifications with one token on two nodes, one succeeds", async (here, _, there) => {
    const { verification } = await newRegistration(here);

    const verified = await onTwoNodes([here, there], 10, (store) =>
      store.mailTokens.verifyEmail(verification.tokenHash, byAt(LATER)),
    );

    assert.equal(verified.filter((one) => one).length, 1);
  });
}

function passwordResetSuite(test: StoreTest): void {
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

  test("a first reset during concurrent log-ins and key creations on two nodes leaves no session and no active key", async (here, _, there) => {
    const { account, reset } = await newResetting(here);
    const [session, ...sessions] = Array.from({ length: 11 }, () => newSession(account.id));
    assert.ok(session !== undefined);
    assert.equal(await here.sessions.create(session, UNCHANGED, BY), true);

    await onTwoNodes([here, there], 10, async (store, index) => {
      if (index === 3) await store.mailTokens.resetPassword(resetOf(reset.tokenHash), byAt(LATER));
      const created = store.keys.create(newKey(account.id), KEY_LIMITS, bySession(session));
      await Promise.all([
        created.catch((error) => assert.equal(error, sessionRequired)),
        store.sessions.create(sessions[index] ?? session, UNCHANGED, BY),
      ]);
    });

    const keys = await keysOf(there, account.id);
    assert.ok(keys.every(({ revokedAt }) => revokedAt !== undefined));
    for (const { tokenHash } of [session, ...sessions]) {
      assert.equal(await here.sessions.findAccount(tokenHash, NOW), undefined);
    }
  });

  test("of ten concurrent resets with four tokens on two nodes, one succeeds and voids all tokens", async (here, _, there) => {
    const { email, verification, reset } = await newResetting(here);
    const tokens = [reset, newResetToken(), newResetToken(), newResetToken()];
    for (const token of tokens.slice(1)) await here.mailTokens.issue(email, token, BY);
    assert.equal(await there.mailTokens.findEmail(reset.tokenHash, "password_reset", NOW), email);

    const done = await onTwoNodes([here, there], 10, (store, index) =>
      store.mailTokens.resetPassword(
        resetOf(tokens[index % tokens.length]?.tokenHash ?? ""),
        byAt(LATER),
      ),
    );

    assert.equal(done.filter((one) => one).length, 1);
    for (const { tokenHash } of tokens) {
      assert.equal(await here.mailTokens.findEmail(tokenHash, "password_reset", NOW), undefined);
    }
    const { tokenHash } = verification;
    assert.equal(await here.mailTokens.findEmail(tokenHash, "verification", NOW), email);
    const mails = await here.mails.list({ withDelivered: true });
    assert.equal(mails.filter(({ kind }) => kind === "password_changed").length, 1);
  });

  test("a reset with an invalid token, or whose notice cannot be stored, changes nothing", async (store, engine) => {
    const { account, verification, reset } = await newResetting(store);
    await store.sessions.create(newSession(account.id), UNCHANGED, BY);
    const before = await contentsOf(engine);
    const use = (hash: string, now = NOW, change: Partial<PasswordReset> = {}) =>
      store.mailTokens.resetPassword(resetOf(hash, change), byAt(now));

    assert.equal(await use(reset.tokenHash, RESET_END), false);
    assert.equal(await use(verification.tokenHash), false);
    assert.equal(await use(reset.token), false);
    assert.equal(await use(newHash()), false);
    await assert.rejects(use(reset.tokenHash, LATER, { mailId: verification.mailId }));

    assert.deepEqual(await contentsOf(engine), before);
    assert.equal(await use(reset.tokenHash, "2026-11-21T12:59:59.999Z"), true);
  });
}
