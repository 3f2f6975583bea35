import assert from "node:assert/strict";
import { MAX_UUID } from "../../../src/shared/uuid.ts";
import type { Store } from "../../../src/store.ts";
import {
  BY,
  byAt,
  contentsOf,
  NOW,
  newAccount,
  newId,
  newMailToken,
  newSession,
  type StoreTest,
  UNCHANGED,
} from "./database.ts";

const END = "2026-11-22T12:00:00.000Z";
const LATER = "2026-11-21T13:00:00.000Z";
const TIMES = { now: NOW, issuedBy: NOW };

/** An account with sessions, oldest first. */
async function accountWithSessions(store: Store, count: number) {
  const account = newAccount();
  await store.accounts.create(account, newMailToken(), BY);
  const sessions = Array.from({ length: count }, () => newSession(account.id));
  for (const session of sessions) await store.sessions.create(session, UNCHANGED, BY);
  const [first = newSession(account.id), ...others] = sessions;
  return { accountId: account.id, sessions, first, others };
}

const listOf = async (store: Store, accountId: string, times = TIMES) =>
  (await store.sessions.list(accountId, MAX_UUID, 100, times)).map(({ id }) => id);

const eventsOf = async (store: Store, accountId: string) =>
  (await store.audit.ofAccount(accountId, undefined, 100)).filter(({ action }) =>
    action.endsWith(".ended"),
  );

export function sessionListSuite(test: StoreTest): void {
  test("sessions are listed newest first, with times and addresses, of one account", async (database) => {
    const store = database.openStore();
    const { accountId, sessions } = await accountWithSessions(store, 3);
    await accountWithSessions(store, 1);

    const listed = await store.sessions.list(accountId, MAX_UUID, 100, TIMES);

    assert.deepEqual(
      listed,
      sessions
        .map(({ id, tokenHash }) => ({
          id,
          tokenHash,
          createdAt: NOW,
          expiresAt: END,
          address: "192.0.2.1",
        }))
        .reverse(),
    );
    assert.deepEqual(await store.sessions.list(newId(), MAX_UUID, 100, TIMES), []);
  });

  test("a page of sessions continues before an id", async (database) => {
    const store = database.openStore();
    const { accountId, sessions } = await accountWithSessions(store, 3);
    const [oldest, middle, newest] = sessions.map(({ id }) => id);

    const first = await store.sessions.list(accountId, MAX_UUID, 2, TIMES);
    const rest = await store.sessions.list(accountId, first.at(-1)?.id ?? "", 2, TIMES);

    assert.deepEqual(
      [...first, ...rest].map(({ id }) => id),
      [newest, middle, oldest],
    );
    assert.equal(first.length, 2);
  });

  test("expired sessions, and those from a clock that was set back, are not listed", async (database) => {
    const store = database.openStore();
    const { accountId, first } = await accountWithSessions(store, 1);
    const future = newSession(accountId, { createdAt: LATER, expiresAt: END });
    await store.sessions.create(future, UNCHANGED, BY);

    assert.deepEqual(await listOf(store, accountId), [first.id]);
    assert.deepEqual(await listOf(store, accountId, { now: NOW, issuedBy: LATER }), [
      future.id,
      first.id,
    ]);
    assert.deepEqual(await listOf(store, accountId, { now: END, issuedBy: END }), []);
  });

  test("a session that an older version stored has an id and no address", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    const { accountId, first } = await accountWithSessions(store, 1);
    await engine.query("UPDATE sessions SET address = NULL");

    const [listed] = await store.sessions.list(accountId, MAX_UUID, 100, TIMES);

    assert.deepEqual([listed?.id, listed?.address], [first.id, undefined]);
  });

  endingSuite(test);
}

function endingSuite(test: StoreTest): void {
  test("a session ends another of its account by its id, once, with an event", async (database) => {
    const [here, there] = [database.openStore(), database.openStore()];
    const { accountId, first, others } = await accountWithSessions(here, 3);
    const [ended = first, left = first] = others;

    assert.equal(await here.sessions.endOne(ended.id, first, BY), "ended");
    assert.equal(await here.sessions.endOne(ended.id, first, BY), "not_found");

    assert.equal(await there.sessions.findAccount(ended.tokenHash, NOW), undefined);
    assert.equal(await there.sessions.findAccount(first.tokenHash, NOW), accountId);
    assert.equal(await there.sessions.findAccount(left.tokenHash, NOW), accountId);
    assert.deepEqual(
      (await eventsOf(here, accountId)).map(({ action, details, origin }) => ({
        action,
        details,
        origin,
      })),
      [{ action: "session.ended", details: { session_id: ended.id }, origin: "192.0.2.1" }],
    );
  });

  test("the id of an expired, a foreign or no session ends nothing", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    const { first, others } = await accountWithSessions(store, 2);
    const other = await accountWithSessions(store, 1);
    const before = await contentsOf(engine);

    const outcomes = [
      await store.sessions.endOne(other.first.id, first, BY),
      await store.sessions.endOne(newId(), first, BY),
      await store.sessions.endOne(others[0]?.id ?? "", first, byAt(END)),
    ];

    assert.deepEqual(outcomes, ["not_found", "not_found", "not_found"]);
    assert.deepEqual(await contentsOf(engine), before);
  });

  test("a session ends every other one of its account, and no other account's", async (database) => {
    const store = database.openStore();
    const { accountId, first, others } = await accountWithSessions(store, 4);
    const other = await accountWithSessions(store, 1);

    assert.equal(await store.sessions.endOthers(first, BY), "ended");
    assert.equal(await store.sessions.endOthers(first, BY), "ended");

    for (const { tokenHash } of others) {
      assert.equal(await store.sessions.findAccount(tokenHash, NOW), undefined);
    }
    assert.equal(await store.sessions.findAccount(first.tokenHash, NOW), accountId);
    assert.equal(await store.sessions.findAccount(other.first.tokenHash, NOW), other.accountId);
    assert.deepEqual(
      (await eventsOf(store, accountId)).map(({ action, details }) => [action, details]),
      [["sessions.ended", { sessions: 3 }]],
    );
  });

  test("an ended session ends no other one", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    const { first, others } = await accountWithSessions(store, 2);
    await store.sessions.end(first.tokenHash, BY);
    const before = await contentsOf(engine);

    assert.equal(await store.sessions.endOne(others[0]?.id ?? "", first, BY), "asker_ended");
    assert.equal(await store.sessions.endOthers(first, BY), "asker_ended");

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("of sessions that end all others at once, on two nodes, exactly one stays", async (database) => {
    const [here, there] = [database.openStore(), database.openStore()];
    const { accountId, sessions } = await accountWithSessions(here, 8);

    const outcomes = await Promise.all(
      sessions.map((session, index) =>
        (index % 2 === 0 ? here : there).sessions.endOthers(session, BY),
      ),
    );

    assert.equal(outcomes.filter((outcome) => outcome === "ended").length, 1);
    assert.deepEqual(await listOf(here, accountId), [sessions[outcomes.indexOf("ended")]?.id]);
  });
}
