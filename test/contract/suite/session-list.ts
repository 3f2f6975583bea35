import assert from "node:assert/strict";
import { MAX_UUID } from "../../../src/shared/uuid.ts";
import type { Store } from "../../../src/store.ts";
import {
  BY,
  bySession,
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

export function sessionListSuite(test: StoreTest): void {
  test("expired sessions, and those from a clock that was set back, are not listed", async (given) => {
    const { store } = given;
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

  endingSuite(test);
}

function endingSuite(test: StoreTest): void {
  test("the id of an expired, a foreign or no session ends nothing", async ({ store, engine }) => {
    const { accountId, first } = await accountWithSessions(store, 1);
    const other = await accountWithSessions(store, 1);
    const expired = newSession(accountId, { expiresAt: LATER });
    await store.sessions.create(expired, UNCHANGED, BY);
    const before = await contentsOf(engine);

    const outcomes = [
      await store.sessions.endOne(other.first.id, bySession(first)),
      await store.sessions.endOne(newId(), bySession(first)),
      await store.sessions.endOne(expired.id, bySession(first, LATER)),
    ];

    assert.deepEqual(outcomes, [false, false, false]);
    assert.deepEqual(await contentsOf(engine), before);
  });

  test("of sessions that end all others at once, on two nodes, exactly one stays", async (given) => {
    const { store: here, other: there } = given;
    const { accountId, sessions } = await accountWithSessions(here, 8);

    const outcomes = await Promise.allSettled(
      sessions.map((session, index) =>
        (index % 2 === 0 ? here : there).sessions.endOthers(bySession(session)),
      ),
    );

    const statuses = outcomes.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === "fulfilled").length, 1);
    assert.deepEqual(await listOf(here, accountId), [sessions[statuses.indexOf("fulfilled")]?.id]);
  });
}
