import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { commandTimeouts, serverTimeouts } from "../../src/storage/settings.ts";
import { openPostgresStore, type Store } from "../../src/store.ts";
import {
  BY,
  newAccount,
  newHash,
  newInvitation,
  newMailToken,
} from "../contract/suite/database.ts";
import { PASSWORD } from "../support/client.ts";
import { eventually } from "../support/mails.ts";
import { connectTo, waitersFor } from "../support/nodes.ts";
import { databaseOf, newPostgresDatabase } from "../support/postgres-databases.ts";
import { startService, type TestService } from "../support/service.ts";

const EMAIL = "ada@example.org";

/** The connections that wait for this one, or for one that waits for it. */
const WAITING = `
  WITH RECURSIVE waiting (pid) AS (
    SELECT pg_backend_pid()
    UNION SELECT l.pid FROM pg_locks l JOIN waiting w ON w.pid = ANY (pg_blocking_pids(l.pid))
    WHERE NOT l.granted)
  SELECT count(*)::integer - 1 AS waiting FROM waiting`;

// Not due: a cleanup would wait for the tables that a test holds.
const CLEANED_UP = "INSERT INTO duties (name, next_at) VALUES ('tidy', '2026-11-21T12:59:00.000Z')";

interface OnPostgres extends AsyncDisposable {
  readonly service: TestService;
  readonly url: string;
  /** Opens the service's store, as a command does. */
  openStore(): Promise<Store>;
}

/** A service whose statements wait as long as a test holds them. */
async function startPostgres(): Promise<OnPostgres> {
  await using starting = new AsyncDisposableStack();
  const { url, hosts } = starting.use(await newPostgresDatabase());
  await using client = await connectTo(url);
  await client.query(CLEANED_UP);
  const storeTimeouts = { ...serverTimeouts, statementTimeoutMs: 0 };
  const config = { database: databaseOf(url) };
  const service = starting.use(await startService({ storeTimeouts, config }));
  const started = starting.move();
  return {
    service,
    url,
    openStore: () => openPostgresStore(hosts, commandTimeouts),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/**
 * Runs two actions so that the first is in the midst of its transaction, where it writes to a
 * table, when the second begins. Both continue when the second has ended or waits, too.
 */
async function interleave<First, Second>(
  { url }: OnPostgres,
  table: string,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  await using holder = await connectTo(url);
  await holder.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
  const begun = first();
  await waitersFor(holder);
  let hasEnded = false;
  const other = second().finally(() => {
    hasEnded = true;
  });
  await eventually("second action that waits or has ended", async () => {
    const { rows } = await holder.query<{ waiting: number }>(WAITING);
    return hasEnded || (rows[0]?.waiting ?? 0) >= 2 || undefined;
  });
  await holder.query("ROLLBACK");
  return await Promise.all([begun, other]);
}

/** A service with a stored invitation, and two stores of other processes. */
async function startInvited() {
  await using starting = new AsyncDisposableStack();
  const on = starting.use(await startPostgres());
  const store = starting.use(await on.openStore());
  const other = starting.use(await on.openStore());
  const invitation = newInvitation({ email: EMAIL });
  await store.invitations.create(invitation, BY);
  const account = newAccount({ id: invitation.accountId, email: EMAIL });
  const started = starting.move();
  return {
    ...{ on, store, other, account },
    accept: () => store.invitations.accept(invitation.tokenHash, account, BY),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** What a deleted account must not have: tokens, mails, addresses and details of events. */
async function leftOf({ url }: OnPostgres): Promise<unknown[]> {
  await using client = await connectTo(url);
  const { rows } = await client.query(`
    SELECT 'token' AS what, purpose AS of FROM mail_tokens
    UNION ALL SELECT 'mail', kind FROM mails
    UNION ALL SELECT 'event', action FROM events WHERE action <> 'account.deleted'
      AND account_id IS NOT NULL AND (details IS NOT NULL OR actor = 'account' AND origin IS NOT NULL)`);
  return rows;
}

suite("while an account is deleted on PostgreSQL", () => {
  for (const path of ["password-reset", "verification/resend"]) {
    test(`a request to ${path} leaves no token, mail or address`, async () => {
      await using on = await startPostgres();
      const { service } = on;
      const session = await service.openSession(EMAIL);

      const [requested, deleted] = await interleave(
        on,
        "events",
        () => service.post(`/v1/auth/${path}`, { json: { email: EMAIL } }),
        () => service.call("DELETE", "/v1/account", { session, json: { password: PASSWORD } }),
      );

      assert.deepEqual([requested.status, deleted.status], [202, 204]);
      assert.deepEqual(await leftOf(on), []);
    });
  }

  test("a link that an operator creates does not outlive it", async () => {
    await using on = await startPostgres();
    await using store = await on.openStore();
    const session = await on.service.openSession(EMAIL);
    const token = { tokenHash: newHash(), expiresAt: "2026-11-21T13:00:00.000Z" };

    const [, deleted] = await interleave(
      on,
      "events",
      () => store.administration.createResetToken(EMAIL, token, BY),
      () => on.service.call("DELETE", "/v1/account", { session, json: { password: PASSWORD } }),
    );

    assert.equal(deleted.status, 204);
    assert.deepEqual(await leftOf(on), []);
  });

  for (const [what, use] of [
    ["verified", (store: Store, hash: string) => store.mailTokens.verifyEmail(hash, BY)],
    [
      "used for a new password",
      (store: Store, tokenHash: string) => {
        const reset = { tokenHash, passwordHash: "$argon2id$stolen", mailId: "mail" };
        return store.mailTokens.resetPassword(reset, BY);
      },
    ],
  ] as const) {
    test(`its mailed token cannot be ${what}`, async () => {
      await using on = await startPostgres();
      await using store = await on.openStore();
      await using other = await on.openStore();
      const purpose = what === "verified" ? "verification" : "password_reset";
      const [account, token] = [newAccount({ email: EMAIL }), newMailToken({ purpose })];
      await store.accounts.create(account, token, BY);

      const [deleted, used] = await interleave(
        on,
        "sessions",
        () => store.administration.delete(EMAIL, BY),
        () => use(other, token.tokenHash),
      );

      assert.deepEqual([deleted, used], [true, false]);
      assert.deepEqual(await leftOf(on), []);
    });
  }

  test("an invitation that it removes creates no account", async () => {
    await using invited = await startInvited();
    const { on, store, other, accept } = invited;
    await store.accounts.create(newAccount({ email: EMAIL }), newMailToken(), BY);

    const [deleted, accepted] = await interleave(
      on,
      "sessions",
      () => other.administration.delete(EMAIL, BY),
      accept,
    );

    assert.deepEqual([deleted, accepted], [true, "invalid"]);
    assert.equal(await store.accounts.findByEmail(EMAIL), undefined);
  });
});

test("an invitation on PostgreSQL is either accepted or withdrawn", async () => {
  await using invited = await startInvited();
  const { on, store, other, account, accept } = invited;

  const [accepted, withdrawn] = await interleave(on, "accounts", accept, () =>
    other.administration.withdrawInvitations(EMAIL, BY),
  );

  assert.deepEqual([accepted, withdrawn], ["accepted", 0]);
  assert.equal((await store.accounts.findByEmail(EMAIL))?.id, account.id);
});

test("on PostgreSQL no invitation is stored for an email that registers meanwhile", async () => {
  await using on = await startPostgres();
  await using store = await on.openStore();
  await using other = await on.openStore();
  const invitation = newInvitation({ email: EMAIL });

  const [created, invited] = await interleave(
    on,
    "mail_tokens",
    () => store.accounts.create(newAccount({ email: EMAIL }), newMailToken(), BY),
    () => other.invitations.create(invitation, BY),
  );

  assert.deepEqual([created, invited], [true, false]);
  assert.equal(await store.invitations.find(invitation.tokenHash, EMAIL, BY.at), undefined);
});
