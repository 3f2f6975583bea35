import assert from "node:assert/strict";
import type { Account } from "../../../src/customers/accounts/store.ts";
import type { IssuedToken } from "../../../src/customers/outbox/store.ts";
import type { Invitation, NewInvitation } from "../../../src/customers/registration/store.ts";
import { sessionRequired } from "../../../src/platform/shared/failure.ts";
import type { Origin, OwnerOrigin } from "../../../src/platform/shared/origin.ts";
import { StoreUnavailable } from "../../../src/platform/shared/store.ts";
import type { Store } from "../../support/stores.ts";
import {
  eventsOf,
  KEY_LIMITS,
  newAccount,
  newCustomer,
  newInvitation,
  newKey,
  newMailToken,
  newRegistration,
  newSession,
  UNCHANGED,
} from "./customers.ts";
import { contentsOf, onTwoNodes, type StoreTest, valuesOf } from "./database.ts";
import { BY, byAt, byOperatorAt, bySession, NOW, newId } from "./origins.ts";
import { newRead } from "./rates-stored.ts";

export function accountSuite(test: StoreTest): void {
  test("an account is stored with every field, its verification token and its mail", async (store, engine) => {
    const account = newAccount({ emailVerifiedAt: "2026-11-20T00:00:00.000Z" });
    const [unverified, verification] = [newAccount(), newMailToken()];

    assert.equal(await store.accounts.create(unverified, verification, BY), true);

    const { token, tokenHash, mailId, createdAt, expiresAt } = verification;
    const { mail_tokens: tokens = [] } = await contentsOf(engine);
    assert.deepEqual(
      tokens.map((row) => [row.account_id, row.purpose, row.token_hash, row.expires_at]),
      [[unverified.id, "verification", tokenHash, expiresAt]],
    );
    const mail = { id: mailId, kind: "verification", email: unverified.email, createdAt };
    assert.deepEqual(await store.mails.claim({ now: NOW, until: expiresAt, limit: 10 }), [
      { ...mail, link: { token, expiresAt }, attempts: 1 },
    ]);
    assert.equal(await store.accounts.create(account, newMailToken(), BY), true);
    for (const each of [account, unverified]) {
      assert.deepEqual(await store.accounts.findByEmail(each.email), each);
    }
    assert.equal(await store.accounts.findByEmail("nobody@example.org"), undefined);
    assert.deepEqual(await store.accounts.findById(account.id), account);
    assert.equal(await store.accounts.findById(newId()), undefined);
  });

  test("a rejected registration stores nothing", async (store, engine) => {
    const [account, { mailId, tokenHash }] = [newAccount(), newMailToken()];
    await store.accounts.create(account, newMailToken({ mailId, tokenHash }), BY);
    const before = await contentsOf(engine);
    const create = (change: Partial<Account>, token = newMailToken()) =>
      store.accounts.create(newAccount(change), token, BY);

    const taken = { email: account.email, passwordHash: "$argon2id$rival" };
    assert.equal(await create(taken), false);
    await assert.rejects(create({ plan: "none" }));
    await assert.rejects(create({}, newMailToken({ mailId })));
    await assert.rejects(create({}, newMailToken({ tokenHash })));

    assert.deepEqual(await contentsOf(engine), before);
    assert.deepEqual(await store.accounts.findByEmail(account.email), account);
  });

  test("of twenty concurrent registrations of one email on two nodes, one succeeds", async (here, _, there) => {
    const tokens = Array.from({ length: 20 }, () => newMailToken());
    const rivals = Array.from({ length: 20 }, () => newAccount({ email: "ada@example.org" }));

    const created = await onTwoNodes([here, there], 20, (store, nth) =>
      store.accounts.create(rivals[nth] as Account, tokens[nth] as IssuedToken, BY),
    );

    assert.equal(created.filter((one) => one).length, 1);
    const winner = created.indexOf(true);
    assert.deepEqual(await here.accounts.findByEmail("ada@example.org"), rivals[winner]);
    const mails = await here.mails.list({ withDelivered: true });
    assert.deepEqual(valuesOf(mails, "id"), [tokens[winner]?.mailId]);
  });

  test("accounts are listed in order of creation with their active keys and units", async (store) => {
    const first = await newCustomer(store, 10);
    const second = await newCustomer(store, 20);
    const revoked = newKey(first.accountId);
    await store.keys.create(revoked, KEY_LIMITS, BY);
    await store.keys.create(newKey(first.accountId), KEY_LIMITS, BY);
    await store.keys.revoke(first.accountId, revoked.id, BY);
    await Promise.all([1, 2, 3].map(() => store.metering.read(newRead(first.keyHash))));
    const own = { ownQuota: undefined, customerNumber: undefined };
    const shared = { ...own, createdAt: NOW, emailVerifiedAt: undefined, suspendedAt: undefined };

    assert.deepEqual(await store.accounts.list(NOW, "", 100), [
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
    const [nextMonth] = await store.accounts.list("2026-12-01T00:00:00.000Z", "", 1);
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

  test("an operator changes a suspended account, not a deleted one, and an owner changes its own", async (store, engine) => {
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
    // The last change has deleted it.
    const before = await contentsOf(engine);
    await store.accounts.setQuotaMails(suspended.accountId, true, BY);
    assert.deepEqual(await contentsOf(engine), before);
  });
}

const LAST_MOMENT = "2026-11-28T11:59:59.999Z";
const AFTER = "2026-11-28T12:00:00.000Z";

/** The account that an invitation's first use creates. */
const invitedAccount = ({ accountId: id, email, plan }: Invitation, change = {}): Account =>
  newAccount({ id, email, plan, emailVerifiedAt: NOW, ...change });

const storedFormOf = ({ token: _, mailId: __, ...invitation }: NewInvitation): Invitation =>
  invitation;

const accept = (store: Store, invitation: NewInvitation, at = NOW) =>
  store.invitations.accept(invitation.tokenHash, invitedAccount(invitation), byAt(at));

export function invitationSuite(test: StoreTest): void {
  createSuite(test);
  acceptSuite(test);
  raceSuite(test);
}

function createSuite(test: StoreTest): void {
  test("an invitation is stored with its mail to the email and its event, without the token or the email in either", async (store, engine) => {
    const invitation = newInvitation();
    const { token, tokenHash, accountId, email, mailId: id, expiresAt } = invitation;

    assert.equal(await store.invitations.create(invitation, byOperatorAt(NOW)), true);

    assert.deepEqual(await store.invitations.find(tokenHash, email, NOW), storedFormOf(invitation));
    const mail = { id, kind: "invitation", email, createdAt: NOW, attempts: 1 };
    assert.deepEqual(await store.mails.claim({ now: NOW, until: expiresAt, limit: 10 }), [
      { ...mail, link: { token, expiresAt } },
    ]);
    const { events = [], invitations = [], accounts } = await contentsOf(engine);
    const [event, ...others] = await eventsOf(store, accountId);
    assert.deepEqual([event?.action, event?.details], ["account.invited", { plan: "free" }]);
    assert.deepEqual(others, []);
    assert.equal(JSON.stringify(events).includes(email), false, "the event holds the email");
    assert.equal(JSON.stringify([events, invitations]).includes(token), false, "the token");
    assert.deepEqual(accounts, []);
  });

  test("an invitation of an account's email, or to an unknown plan, stores nothing", async (store, engine) => {
    const { email } = await newRegistration(store);
    const before = await contentsOf(engine);

    assert.equal(await store.invitations.create(newInvitation({ email }), BY), false);
    await assert.rejects(store.invitations.create(newInvitation({ plan: "none" }), BY));

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("the list has the invitations that are valid then, the oldest first", async (store) => {
    const later = { createdAt: "2026-11-21T13:00:00.000Z", expiresAt: "2026-11-28T13:00:00.000Z" };
    const [second, first] = [newInvitation(later), newInvitation()];
    for (const invitation of [second, first]) await store.invitations.create(invitation, BY);

    assert.deepEqual(await store.invitations.list(LAST_MOMENT), [
      storedFormOf(first),
      storedFormOf(second),
    ]);
    assert.deepEqual(await store.invitations.list(AFTER), [storedFormOf(second)]);
  });

  test("an invitation is valid only with its own token, for its email, and until it expires", async (store) => {
    const [one, other] = [newInvitation(), newInvitation()];
    const { tokenHash, email } = one;
    for (const invitation of [one, other]) await store.invitations.create(invitation, BY);
    const { find } = store.invitations;

    assert.equal((await find(tokenHash, email, LAST_MOMENT))?.accountId, one.accountId);
    assert.equal(await find(tokenHash, email, AFTER), undefined);
    assert.equal(await find(tokenHash, other.email, NOW), undefined);
    assert.equal(await find(newInvitation().tokenHash, email, NOW), undefined);
    assert.equal(await find(one.token, email, NOW), undefined);
  });
}

function acceptSuite(test: StoreTest): void {
  test("using an invitation creates its account and removes every invitation for the email, but no other", async (store, engine) => {
    await store.plans.set({ name: "pro", unitsPerPeriod: 5 }, BY);
    const first = newInvitation();
    const second = newInvitation({ email: first.email, plan: "pro" });
    const foreign = newInvitation();
    for (const one of [first, second, foreign]) await store.invitations.create(one, BY);
    const mailsBefore = (await store.mails.list({ withDelivered: true })).length;

    assert.equal(await accept(store, second), "accepted");

    assert.deepEqual(await store.accounts.findByEmail(second.email), { ...invitedAccount(second) });
    const { invitations, mail_tokens: tokens, sessions } = await contentsOf(engine);
    assert.deepEqual(valuesOf(invitations ?? [], "token_hash"), [foreign.tokenHash]);
    assert.deepEqual([tokens, sessions], [[], []]);
    assert.equal((await store.mails.list({ withDelivered: true })).length, mailsBefore);
    const events = await eventsOf(store, second.accountId);
    assert.deepEqual(
      events.map(({ action, actor, details }) => [action, actor, details]),
      [
        ["account.invited", "account", { plan: "pro" }],
        ["account.registered", "account", { plan: "pro", invited: true }],
      ],
    );
    assert.equal(await accept(store, second), "invalid");
    assert.equal(await accept(store, first), "invalid");
  });

  test("an invalid invitation, a taken email and a lost plan create no account and change nothing", async (store, engine, _, {
    losePlan,
  }) => {
    await store.plans.set({ name: "pro", unitsPerPeriod: 5 }, BY);
    const [invitation, late, lost] = [
      newInvitation(),
      newInvitation(),
      newInvitation({ plan: "pro" }),
    ];
    for (const one of [invitation, late, lost]) await store.invitations.create(one, BY);
    const account = newAccount({ email: late.email });
    await store.accounts.create(account, newMailToken(), BY);
    await losePlan("pro");
    const before = await contentsOf(engine);

    assert.equal(await accept(store, invitation, AFTER), "invalid");
    assert.equal(await accept(store, { ...invitation, email: "eve@example.org" }), "invalid");
    assert.equal(await accept(store, newInvitation({ email: invitation.email })), "invalid");
    assert.equal(await accept(store, late), "email_taken");
    await assert.rejects(accept(store, lost), StoreUnavailable);

    assert.deepEqual(await contentsOf(engine), before);
    assert.deepEqual(await store.accounts.findByEmail(account.email), account);
  });
}

function raceSuite(test: StoreTest): void {
  for (const [what, count] of [
    ["one invitation", 1],
    ["ten invitations for one email", 10],
  ] as const) {
    test(`of twenty concurrent uses of ${what} on two nodes, one creates an account`, async (here, _, there) => {
      const email = "ada@example.org";
      const invitations = Array.from({ length: count }, () => newInvitation({ email }));
      for (const one of invitations) await here.invitations.create(one, BY);
      const rivals = Array.from({ length: 20 }, (_, nth) => {
        const invitation = invitations[nth % count] ?? newInvitation();
        const account = invitedAccount(invitation, { passwordHash: `$argon2id$${nth}` });
        return { tokenHash: invitation.tokenHash, account };
      });

      const outcomes = await Promise.all(
        rivals.map(({ tokenHash, account }, nth) =>
          (nth % 2 === 0 ? here : there).invitations.accept(tokenHash, account, BY),
        ),
      );

      const winner = rivals[outcomes.indexOf("accepted")];
      assert.deepEqual(await here.accounts.findByEmail(email), winner?.account);
      assert.equal(outcomes.filter((outcome) => outcome === "invalid").length, 19);
    });
  }

  test("an invitation used beside plain registrations of its email leaves one account", async (here, _, there) => {
    const invitation = newInvitation();
    await here.invitations.create(invitation, BY);
    const plain = Array.from({ length: 6 }, () => newAccount({ email: invitation.email }));

    const [outcome, ...created] = await Promise.all([
      accept(here, invitation),
      ...plain.map((account) => there.accounts.create(account, newMailToken(), BY)),
    ]);

    const winners = created.filter((isCreated) => isCreated).length;
    assert.equal(winners + (outcome === "accepted" ? 1 : 0), 1, `${outcome}, ${created}`);
    if (outcome !== "accepted") assert.equal(outcome, "email_taken");
    const left = await here.invitations.find(invitation.tokenHash, invitation.email, NOW);
    assert.equal(left === undefined, outcome === "accepted");
  });
}
