import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../../src/application/ports.ts";
import {
  type CreateDatabase,
  contentsOf,
  NOW,
  newHash,
  newMailToken,
  newRegistration,
  newResetToken,
} from "./database.ts";
import { passwordResetSuite, verificationSuite } from "./token-uses.ts";

const AFTER_ALL = "2026-11-23T12:00:00.000Z";
const LEASED = "2026-11-21T12:00:10.000Z";

/** A token of each purpose, and the last moment at which it works. */
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
  return (await store.listMails({ withDelivered: true })).map(({ id }) => id);
}

export function mailTokenSuite(createDatabase: CreateDatabase): void {
  issueSuite(createDatabase);
  verificationSuite(createDatabase);
  passwordResetSuite(createDatabase);
}

function issueSuite(createDatabase: CreateDatabase): void {
  for (const { purpose, newToken, otherToken, expiresAt, lastMoment } of PURPOSES) {
    test(`a newer ${purpose} token voids the older with its mail, and no other`, async () => {
      await using database = await createDatabase();
      const store = database.openStore();
      const [ada, bob] = [await newRegistration(store), await newRegistration(store)];
      const newer = newToken({ expiresAt: AFTER_ALL });
      const [older, foreign] = [newToken(), newToken()];
      const [other, foreignOther] = [otherToken(), otherToken()];
      for (const token of [other, older]) await store.issueToken(ada.email, token);
      for (const token of [foreignOther, foreign]) await store.issueToken(bob.email, token);

      await store.issueToken(ada.email, newer);

      const emailOf = (token: typeof older) =>
        store.tokenEmail(token.tokenHash, token.purpose, NOW);
      assert.equal(await emailOf(older), undefined);
      assert.deepEqual([await emailOf(newer), await emailOf(other)], [ada.email, ada.email]);
      assert.deepEqual(
        [await emailOf(foreign), await emailOf(foreignOther)],
        [bob.email, bob.email],
      );
      assert.equal(await store.tokenEmail(newer.tokenHash, purpose, expiresAt), ada.email);
      const waiting = [newer, foreign, other, foreignOther].map(({ mailId }) => mailId);
      const registered = [ada, bob].map(({ verification }) => verification.mailId);
      const left = (await mailIds(store)).filter((id) => !registered.includes(id));
      assert.deepEqual(left, waiting.sort());
    });

    test(`a ${purpose} token works until the moment it expires, for its purpose`, async () => {
      await using database = await createDatabase();
      const [store, engine] = [database.openStore(), database.openEngine()];
      const { email } = await newRegistration(store);
      const token = newToken({ expiresAt });
      const other = otherToken();
      await store.issueToken(email, token);
      const before = await contentsOf(engine);
      const emailOf = (hash: string, now: string) => store.tokenEmail(hash, purpose, now);

      assert.equal(await emailOf(token.tokenHash, NOW), email);
      assert.equal(await emailOf(token.tokenHash, lastMoment), email);
      assert.equal(await emailOf(token.tokenHash, expiresAt), undefined);
      assert.equal(await emailOf(newHash(), NOW), undefined);
      assert.equal(await emailOf(token.token, NOW), undefined);
      assert.equal(await store.tokenEmail(token.tokenHash, other.purpose, NOW), undefined);
      assert.deepEqual(await contentsOf(engine), before);
    });

    test(`a void ${purpose} token's mail is dropped though a node has it in hand`, async () => {
      await using database = await createDatabase();
      const [store, elsewhere] = [database.openStore(), database.openStore()];
      const { email } = await newRegistration(store);
      const [older, newer] = [newToken(), newToken()];
      await store.issueToken(email, older);
      await elsewhere.claimMails({ now: NOW, until: LEASED, limit: 10 });

      await store.issueToken(email, newer);
      await elsewhere.noteDelivered(older.mailId, NOW);

      const left = await mailIds(store);
      assert.deepEqual([left.includes(older.mailId), left.includes(newer.mailId)], [false, true]);
    });

    test(`a void ${purpose} token's mail that was delivered or given up is kept`, async () => {
      await using database = await createDatabase();
      const store = database.openStore();
      const { email, verification } = await newRegistration(store);
      const [delivered, givenUp, newer] = [newToken(), newToken(), newToken()];
      await store.noteDelivered(verification.mailId, NOW);
      await store.issueToken(email, delivered);
      await store.noteDelivered(delivered.mailId, NOW);
      await store.issueToken(email, givenUp);
      await store.giveUpMail(givenUp.mailId, NOW, "no such mailbox");

      await store.issueToken(email, newer);

      const all = [verification, delivered, givenUp, newer].map(({ mailId }) => mailId);
      assert.deepEqual(await mailIds(store), all);
    });

    test(`of twenty ${purpose} tokens at once, on two nodes, one is left`, async () => {
      await using database = await createDatabase();
      const [here, there] = [database.openStore(), database.openStore()];
      const { email, verification } = await newRegistration(here);
      await here.noteDelivered(verification.mailId, NOW);
      const tokens = Array.from({ length: 20 }, () => newToken());

      await Promise.all(
        tokens.map((token, turn) => (turn % 2 ? here : there).issueToken(email, token)),
      );

      const emails = await Promise.all(
        tokens.map(({ tokenHash }) => there.tokenEmail(tokenHash, purpose, NOW)),
      );
      assert.equal(emails.filter((one) => one === email).length, 1);
      assert.equal(emails.filter((one) => one === undefined).length, 19);
      const mails = await here.claimMails({ now: NOW, until: LEASED, limit: 30 });
      const links = mails.map(({ link }) => link?.token);
      assert.deepEqual(links, [tokens[emails.indexOf(email)]?.token]);
    });

    test(`for an unknown email nothing of a ${purpose} token remains in any table`, async () => {
      await using database = await createDatabase();
      const [store, engine] = [database.openStore(), database.openEngine()];
      await newRegistration(store);
      const before = await contentsOf(engine);
      const token = newToken();

      await store.issueToken("nobody@example.org", token);

      assert.deepEqual(await contentsOf(engine), before);
      assert.equal(await store.tokenEmail(token.tokenHash, purpose, NOW), undefined);
    });

    test(`a ${purpose} token whose mail cannot be stored leaves the older as it is`, async () => {
      await using database = await createDatabase();
      const [store, engine] = [database.openStore(), database.openEngine()];
      const [{ email }, other] = [await newRegistration(store), await newRegistration(store)];
      await store.issueToken(email, newToken());
      const before = await contentsOf(engine);

      const { mailId } = other.verification;
      await assert.rejects(store.issueToken(email, newToken({ mailId })));

      assert.deepEqual(await contentsOf(engine), before);
    });
  }

  test("a verified account gets no token to verify, but one to reset", async () => {
    await using database = await createDatabase();
    const [store, engine] = [database.openStore(), database.openEngine()];
    const { email } = await newRegistration(store);
    await store.markEmailVerified(email, NOW);
    const before = await contentsOf(engine);
    const [verification, reset] = [newMailToken(), newResetToken()];

    await store.issueToken(email, verification);

    assert.deepEqual(await contentsOf(engine), before);
    await store.issueToken(email, reset);
    assert.equal(await store.tokenEmail(reset.tokenHash, "password_reset", NOW), email);
    assert.ok((await mailIds(store)).includes(reset.mailId));
  });

  test("an email that gets no token costs the same commit as one that does", async () => {
    await using database = await createDatabase();
    const [store, beside] = [database.openStore(), database.openStore()];
    const [{ email }, verified] = [await newRegistration(store), await newRegistration(store)];
    await store.markEmailVerified(verified.email, NOW);
    const isSeenBeside = async (asked: string) => {
      await beside.writtenByOthers();
      await store.issueToken(asked, newMailToken());
      return await beside.writtenByOthers();
    };

    const isSeen = await isSeenBeside(email);

    assert.equal(await isSeenBeside(verified.email), isSeen);
    assert.equal(await isSeenBeside("nobody@example.org"), isSeen);
  });

  test("a token is stored nowhere but in the mail that waits, and there no longer", async () => {
    await using database = await createDatabase();
    const [store, engine] = [database.openStore(), database.openEngine()];
    const { email, verification } = await newRegistration(store);
    const reset = newResetToken();
    await store.issueToken(email, reset);
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
    await store.noteDelivered(verification.mailId, NOW);
    await store.giveUpMail(reset.mailId, NOW, "no such mailbox");
    for (const { token } of [verification, reset]) assert.deepEqual(await placesOf(token), []);
  });
}
