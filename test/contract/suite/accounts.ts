import assert from "node:assert/strict";
import type { Account } from "../../../src/accounts/store.ts";
import { sessionRequired } from "../../../src/shared/failure.ts";
import type { Origin, OwnerOrigin } from "../../../src/shared/origin.ts";
import type { Store } from "../../../src/store.ts";
import {
  BY,
  bySession,
  contentsOf,
  KEY_LIMITS,
  NOW,
  newAccount,
  newCustomer,
  newId,
  newKey,
  newMailToken,
  newRead,
  newRegistration,
  newSession,
  PERIOD,
  type StoreTest,
  UNCHANGED,
  valuesOf,
} from "./database.ts";

export function accountSuite(test: StoreTest): void {
  test("an account can be read by its email, with every stored field", async (store) => {
    const account = newAccount({ emailVerifiedAt: "2026-11-20T00:00:00.000Z" });
    const unverified = newAccount();

    assert.equal(await store.accounts.create(account, newMailToken(), BY), true);
    assert.equal(await store.accounts.create(unverified, newMailToken(), BY), true);

    assert.deepEqual(await store.accounts.findByEmail(account.email), account);
    assert.deepEqual(await store.accounts.findByEmail(unverified.email), unverified);
    assert.equal(await store.accounts.findByEmail("nobody@example.org"), undefined);
    assert.deepEqual(await store.accounts.findById(account.id), account);
    assert.equal(await store.accounts.findById(newId()), undefined);
  });

  test("an account is stored together with its verification token and its mail", async (store, engine) => {
    const [account, verification] = [newAccount(), newMailToken()];
    const { token, tokenHash, mailId, createdAt, expiresAt } = verification;

    await store.accounts.create(account, verification, BY);

    const { mail_tokens: tokens, mails } = await contentsOf(engine);
    assert.deepEqual(
      tokens?.map((row) => ({ ...row })),
      [
        {
          account_id: account.id,
          purpose: "verification",
          token_hash: tokenHash,
          expires_at: expiresAt,
        },
      ],
    );
    assert.equal(mails?.length, 1);
    assert.deepEqual(await store.mails.claim({ now: NOW, until: expiresAt, limit: 10 }), [
      {
        id: mailId,
        kind: "verification",
        email: account.email,
        link: { token, expiresAt },
        createdAt,
        attempts: 1,
      },
    ]);
  });

  test("a registered email is rejected and nothing stored changes", async (store, engine) => {
    const account = newAccount();
    const rival = newAccount({ email: account.email, passwordHash: "$argon2id$rival" });
    await store.accounts.create(account, newMailToken(), BY);
    const before = await contentsOf(engine);

    assert.equal(await store.accounts.create(rival, newMailToken(), BY), false);

    assert.deepEqual(await contentsOf(engine), before);
    assert.deepEqual(await store.accounts.findByEmail(account.email), account);
    const ids = (await store.accounts.list(PERIOD.name, "", 100)).map(({ id }) => id);
    assert.deepEqual(ids, [account.id]);
  });

  test("of twenty concurrent registrations of one email on two nodes, one succeeds", async (here, _, there) => {
    const stores = [here, there] as const;
    const tokens = Array.from({ length: 20 }, () => newMailToken());
    const rivals = Array.from({ length: 20 }, () => newAccount({ email: "ada@example.org" }));

    const created = await Promise.all(
      tokens.map((token, nth) =>
        stores[nth % 2]?.accounts.create(rivals[nth] as Account, token, BY),
      ),
    );

    assert.equal(created.filter((one) => one === true).length, 1);
    const winner = created.indexOf(true);
    assert.deepEqual(await stores[0]?.accounts.findByEmail("ada@example.org"), rivals[winner]);
    const mails = (await stores[0]?.mails.list({ withDelivered: true })) ?? [];
    assert.deepEqual(valuesOf(mails, "id"), [tokens[winner]?.mailId]);
  });

  test("an account with an unknown plan is rejected, including its token and mail", async (store, engine) => {
    const before = await contentsOf(engine);

    await assert.rejects(store.accounts.create(newAccount({ plan: "none" }), newMailToken(), BY));

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("an account is not stored when its token or mail cannot be stored", async (store, engine) => {
    const { mailId, tokenHash } = newMailToken();
    await store.accounts.create(newAccount(), newMailToken({ mailId, tokenHash }), BY);
    const before = await contentsOf(engine);

    for (const taken of [{ mailId }, { tokenHash }]) {
      await assert.rejects(store.accounts.create(newAccount(), newMailToken(taken), BY));
    }

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("accounts are listed in order of creation with their active keys and units", async (store) => {
    const first = await newCustomer(store, 10);
    const second = await newCustomer(store, 20);
    const revoked = newKey(first.accountId);
    await store.keys.create(revoked, KEY_LIMITS, BY);
    await store.keys.create(newKey(first.accountId), KEY_LIMITS, BY);
    await store.keys.revoke(first.accountId, revoked.id, BY);
    await Promise.all([1, 2, 3].map(() => store.metering.read(newRead(first.keyHash))));
    const shared = { createdAt: NOW, emailVerifiedAt: undefined, suspendedAt: undefined };

    assert.deepEqual(await store.accounts.list(PERIOD.name, "", 100), [
      {
        ...shared,
        id: first.accountId,
        email: first.email,
        plan: first.plan,
        activeKeys: 2,
        quota: { quotaUnits: 10, usedUnits: 3 },
      },
      {
        ...shared,
        id: second.accountId,
        email: second.email,
        plan: second.plan,
        activeKeys: 1,
        quota: { quotaUnits: 20, usedUnits: 0 },
      },
    ]);
    const [nextMonth] = await store.accounts.list("2026-12", "", 1);
    assert.equal(nextMonth?.quota.usedUnits, 0);
  });

  test("an account cannot be moved to an unknown plan", async (store) => {
    const account = newAccount();
    await store.accounts.create(account, newMailToken(), BY);

    await assert.rejects(store.accounts.setPlan(account.email, "none", BY));

    assert.equal((await store.accounts.findByEmail(account.email))?.plan, "free");
  });
}

const END = "2026-11-22T12:00:00.000Z";

/** An account with a key and two sessions. */
async function newOwner(store: Store) {
  const customer = await newCustomer(store, 10);
  const sessions = [newSession(customer.accountId), newSession(customer.accountId)] as const;
  for (const session of sessions) await store.sessions.create(session, UNCHANGED, BY);
  return { ...customer, session: sessions[0], other: sessions[1] };
}

type Owner = Awaited<ReturnType<typeof newOwner>>;

/** Each change of an owner that an operator can make, too. */
const shared = [
  (store, { accountId }, by) => store.keys.create(newKey(accountId), KEY_LIMITS, by),
  (store, { accountId, key }, by) => store.keys.revoke(accountId, key.id, by),
  (store, { accountId }, by) => store.accounts.setQuotaMails(accountId, false, by),
  (store, { accountId }, by) => store.administration.beginExport(accountId, by),
  (store, { email }, by) => store.administration.delete(email, by),
] satisfies ((store: Store, owner: Owner, by: Origin) => Promise<unknown>)[];

const changes: ((store: Store, owner: Owner, by: OwnerOrigin) => Promise<unknown>)[] = [
  (store, { other }, by) => store.sessions.endOne(other.id, by),
  (store, _, by) => store.sessions.endOthers(by),
  (store, _, by) => store.sessions.end(by),
  ...shared,
];

const endings: Record<string, (store: Store, owner: Owner) => Promise<unknown>> = {
  "its session has ended": (store, { session }) => store.sessions.end(bySession(session)),
  "its session has expired": async () => undefined,
  "it is suspended": (store, { email }) => store.administration.suspend(email, BY),
  "it is deleted": (store, { email }) => store.administration.delete(email, BY),
};

export function settingsSuite(test: StoreTest): void {
  for (const [what, end] of Object.entries(endings)) {
    test(`an account's owner changes nothing when ${what}`, async (store, engine) => {
      const owner = await newOwner(store);
      await end(store, owner);
      const before = await contentsOf(engine);
      const by = bySession(owner.session, what.includes("expired") ? END : NOW);

      for (const change of changes) {
        await assert.rejects(change(store, owner, by), sessionRequired, String(change));
      }

      assert.deepEqual(await contentsOf(engine), before);
    });
  }

  test("an operator changes a suspended account, and an owner changes its own", async (store, engine) => {
    const suspended = await newOwner(store);
    await store.administration.suspend(suspended.email, BY);
    for (const change of changes) {
      const owner = await newOwner(store);
      const before = await contentsOf(engine);
      await change(store, owner, bySession(owner.session));
      assert.notDeepEqual(await contentsOf(engine), before, String(change));
    }
    for (const change of shared) {
      const before = await contentsOf(engine);
      await change(store, suspended, BY);
      assert.notDeepEqual(await contentsOf(engine), before, String(change));
    }
  });

  test("a deleted account's mails about its quota cannot be turned off", async (store, engine) => {
    const { account } = await newRegistration(store);
    await engine.query("UPDATE accounts SET deleted_at = $1", NOW);
    const before = await contentsOf(engine);

    await store.accounts.setQuotaMails(account.id, false, BY);

    assert.deepEqual(await contentsOf(engine), before);
  });
}
