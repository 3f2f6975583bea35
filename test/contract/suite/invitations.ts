import assert from "node:assert/strict";
import type { Account } from "../../../src/accounts/store.ts";
import type { Invitation, NewInvitation } from "../../../src/registration/store.ts";
import { StoreUnavailable } from "../../../src/shared/store.ts";
import type { Store } from "../../../src/store.ts";
import {
  BY,
  byAt,
  contentsOf,
  NOW,
  newAccount,
  newInvitation,
  newMailToken,
  newRegistration,
  type StoreTest,
  valuesOf,
} from "./database.ts";

const LAST_MOMENT = "2026-11-28T11:59:59.999Z";
const AFTER = "2026-11-28T12:00:00.000Z";

const OPERATOR = {
  ...BY,
  actor: { kind: "operator", userName: "ada", hostName: "vm" },
} as const;

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

    assert.equal(await store.invitations.create(invitation, OPERATOR), true);

    assert.deepEqual(await store.invitations.find(tokenHash, email, NOW), storedFormOf(invitation));
    const mail = { id, kind: "invitation", email, createdAt: NOW, attempts: 1 };
    assert.deepEqual(await store.mails.claim({ now: NOW, until: expiresAt, limit: 10 }), [
      { ...mail, link: { token, expiresAt } },
    ]);
    const { events = [], invitations = [], accounts } = await contentsOf(engine);
    const [event, ...others] = await store.audit.list({
      accountId,
      after: { at: "", id: "" },
      limit: 10,
    });
    assert.deepEqual([event?.action, event?.details], ["account.invited", { plan: "free" }]);
    assert.deepEqual(others, []);
    assert.equal(JSON.stringify(events).includes(email), false, "the event holds the email");
    assert.equal(JSON.stringify([events, invitations]).includes(token), false, "the token");
    assert.deepEqual(accounts, []);
  });

  test("an email with an account is not invited and nothing stored changes", async (store, engine) => {
    const { email } = await newRegistration(store);
    const before = await contentsOf(engine);

    assert.equal(await store.invitations.create(newInvitation({ email }), BY), false);

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("an invitation to an unknown plan is rejected, including its mail and its event", async (store, engine) => {
    const before = await contentsOf(engine);

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

    assert.deepEqual(await store.accounts.findByEmail(second.email), {
      ...invitedAccount(second),
    });
    const { invitations, mail_tokens: tokens, sessions } = await contentsOf(engine);
    assert.deepEqual(valuesOf(invitations ?? [], "token_hash"), [foreign.tokenHash]);
    assert.deepEqual([tokens, sessions], [[], []]);
    assert.equal((await store.mails.list({ withDelivered: true })).length, mailsBefore);
    const after = { at: "", id: "" };
    const events = await store.audit.list({ accountId: second.accountId, after, limit: 10 });
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

  test("an invalid invitation creates no account and changes nothing", async (store, engine) => {
    const invitation = newInvitation();
    await store.invitations.create(invitation, BY);
    const before = await contentsOf(engine);

    assert.equal(await accept(store, invitation, AFTER), "invalid");
    assert.equal(await accept(store, { ...invitation, email: "eve@example.org" }), "invalid");
    assert.equal(await accept(store, newInvitation({ email: invitation.email })), "invalid");

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("an email that got an account meanwhile keeps it, and nothing stored changes", async (store, engine) => {
    const invitation = newInvitation();
    await store.invitations.create(invitation, BY);
    const account = newAccount({ email: invitation.email });
    await store.accounts.create(account, newMailToken(), BY);
    const before = await contentsOf(engine);

    assert.equal(await accept(store, invitation), "email_taken");

    assert.deepEqual(await contentsOf(engine), before);
    assert.deepEqual(await store.accounts.findByEmail(account.email), account);
  });

  test("an invitation whose plan is lost creates no account, and stays valid", async (store, engine, _, {
    losePlan,
  }) => {
    await store.plans.set({ name: "pro", unitsPerPeriod: 5 }, BY);
    const invitation = newInvitation({ plan: "pro" });
    await store.invitations.create(invitation, BY);
    await losePlan("pro");
    const before = await contentsOf(engine);

    await assert.rejects(accept(store, invitation), StoreUnavailable);

    assert.deepEqual(await contentsOf(engine), before);
  });
}

function raceSuite(test: StoreTest): void {
  test("of twenty concurrent uses of one invitation on two nodes, one creates an account", async (here, _, there) => {
    const stores = [here, there] as const;
    const invitation = newInvitation();
    await stores[0].invitations.create(invitation, BY);
    const rivals = Array.from({ length: 20 }, (_, nth) =>
      invitedAccount(invitation, { passwordHash: `$argon2id$${nth}` }),
    );

    const outcomes = await Promise.all(
      rivals.map((rival, nth) =>
        stores[nth % 2 === 0 ? 0 : 1].invitations.accept(invitation.tokenHash, rival, BY),
      ),
    );

    const winner = outcomes.indexOf("accepted");
    assert.deepEqual(await stores[0].accounts.findByEmail(invitation.email), rivals[winner]);
    assert.equal(outcomes.filter((outcome) => outcome === "invalid").length, 19);
  });

  test("of ten invitations for one email that are used at once on two nodes, one creates an account", async (here, _, there) => {
    const stores = [here, there] as const;
    const email = "ada@example.org";
    const invitations = Array.from({ length: 10 }, () => newInvitation({ email }));
    for (const one of invitations) await stores[0].invitations.create(one, BY);

    const outcomes = await Promise.all(
      invitations.map((one, nth) => accept(stores[nth % 2 === 0 ? 0 : 1], one)),
    );

    const winner = invitations[outcomes.indexOf("accepted")];
    assert.equal((await stores[0].accounts.findByEmail(email))?.id, winner?.accountId);
    assert.equal(outcomes.filter((outcome) => outcome === "invalid").length, 9);
  });

  test("an invitation used beside plain registrations of its email leaves one account", async (here, _, there) => {
    const stores = [here, there] as const;
    const invitation = newInvitation();
    await stores[0].invitations.create(invitation, BY);
    const plain = Array.from({ length: 6 }, () => newAccount({ email: invitation.email }));

    const [outcome, ...created] = await Promise.all([
      accept(stores[0], invitation),
      ...plain.map((account) => stores[1].accounts.create(account, newMailToken(), BY)),
    ]);

    const winners = created.filter((isCreated) => isCreated).length;
    assert.equal(winners + (outcome === "accepted" ? 1 : 0), 1, `${outcome}, ${created}`);
    if (outcome !== "accepted") assert.equal(outcome, "email_taken");
    const left = await stores[0].invitations.find(invitation.tokenHash, invitation.email, NOW);
    assert.equal(left === undefined, outcome === "accepted");
  });
}
