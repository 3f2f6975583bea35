import assert from "node:assert/strict";
import type { Store } from "../../../src/store.ts";
import {
  BY,
  contentsOf,
  NOW,
  newHash,
  newMailToken,
  newRegistration,
  newResetToken,
  type StoreTest,
} from "./database.ts";
import { passwordResetSuite, verificationSuite } from "./token-uses.ts";

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
    test(`a new ${purpose} token leaves older ones valid and keeps their mails`, async (store) => {
      const [ada, bob] = [await newRegistration(store), await newRegistration(store)];
      const tokens = [newToken(), newToken(), newToken()];
      const foreign = newToken();

      for (const token of tokens) await store.mailTokens.issue(ada.email, token, BY);
      await store.mailTokens.issue(bob.email, foreign, BY);

      const emailOf = ({ tokenHash }: typeof foreign) =>
        store.mailTokens.findEmail(tokenHash, purpose, NOW);
      assert.deepEqual(
        await Promise.all([...tokens, foreign].map(emailOf)),
        [ada, ada, ada, bob].map(({ email }) => email),
      );
      const registered = [ada, bob].map(({ verification }) => verification.mailId);
      const issued = [...tokens, foreign].map(({ mailId }) => mailId);
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

    test(`a ${purpose} token is valid until it expires and only for its purpose`, async (store, engine) => {
      const { email } = await newRegistration(store);
      const token = newToken({ expiresAt });
      const other = otherToken();
      await store.mailTokens.issue(email, token, BY);
      const before = await contentsOf(engine);
      const emailOf = (hash: string, now: string) => store.mailTokens.findEmail(hash, purpose, now);

      assert.equal(await emailOf(token.tokenHash, NOW), email);
      assert.equal(await emailOf(token.tokenHash, lastMoment), email);
      assert.equal(await emailOf(token.tokenHash, expiresAt), undefined);
      assert.equal(await emailOf(newHash(), NOW), undefined);
      assert.equal(await emailOf(token.token, NOW), undefined);
      assert.equal(
        await store.mailTokens.findEmail(token.tokenHash, other.purpose, NOW),
        undefined,
      );
      assert.deepEqual(await contentsOf(engine), before);
    });

    test(`of twelve concurrent ${purpose} tokens on two nodes, the limit of five mails admits four`, async (here, _, there) => {
      const { email, verification } = await newRegistration(here);
      const tokens = Array.from({ length: 12 }, () => newToken());

      await Promise.all(
        tokens.map((token, index) => (index % 2 ? here : there).mailTokens.issue(email, token, BY)),
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

    test(`a ${purpose} token for an unknown email is not stored in any table`, async (store, engine) => {
      await newRegistration(store);
      const before = await contentsOf(engine);
      const token = newToken();

      await store.mailTokens.issue("nobody@example.org", token, BY);

      assert.deepEqual(await contentsOf(engine), before);
      assert.equal(await store.mailTokens.findEmail(token.tokenHash, purpose, NOW), undefined);
    });

    test(`a ${purpose} token is not stored when its mail cannot be stored`, async (store, engine) => {
      const [{ email }, other] = [await newRegistration(store), await newRegistration(store)];
      await store.mailTokens.issue(email, newToken(), BY);
      const before = await contentsOf(engine);

      const { mailId } = other.verification;
      await assert.rejects(store.mailTokens.issue(email, newToken({ mailId }), BY));

      assert.deepEqual(await contentsOf(engine), before);
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
