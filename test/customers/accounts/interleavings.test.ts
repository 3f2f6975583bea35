import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { suite, test } from "node:test";
import { commandTimeouts } from "../../../src/platform/storage/settings.ts";
import { newAccount, newInvitation, newMailToken } from "../../contract/suite/customers.ts";
import { BY, newHash } from "../../contract/suite/origins.ts";
import { type Customer, PASSWORD } from "../../support/client.ts";
import { eventually } from "../../support/mails.ts";
import { connectTo, waitersFor } from "../../support/nodes.ts";
import type { OpenApiDocument } from "../../support/openapi.ts";
import { databaseOf, newPostgresDatabase } from "../../support/postgres-databases.ts";
import { startService, type TestService } from "../../support/service.ts";
import { openPostgresStore, type Store } from "../../support/stores.ts";

const EMAIL = "ada@example.org";

/** The connections that wait for this one, or for one that waits for it. */
const WAITING = `
  WITH RECURSIVE waiting (pid) AS (
    SELECT pg_backend_pid()
    UNION SELECT l.pid FROM pg_locks l JOIN waiting w ON w.pid = ANY (pg_blocking_pids(l.pid))
    WHERE NOT l.granted)
  SELECT count(*)::integer - 1 AS waiting FROM waiting`;

// Not due: a cleanup would wait for the tables that a test holds.
const CLEANED_UP =
  "INSERT INTO jobs (name, next_at) VALUES ('cleanup', '2026-11-21T12:59:00.000Z')";

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
  const config = { database: databaseOf(url) };
  const service = starting.use(await startService({ config }));
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
    on,
    store,
    other,
    account,
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

/** Every change of an owner, of the key or the other session that `{id}` names. */
const changes = [
  ["POST", "/v1/account/api-keys", { name: "late" }],
  ["DELETE", "/v1/account/api-keys/{id}"],
  [
    "PUT",
    "/v1/account/api-keys/{id}/limits",
    { expires_at: null, units_per_period: 5, units_per_day: null },
  ],
  ["POST", "/v1/account/api-keys/{id}/rotate", {}],
  ["PUT", "/v1/account/thresholds", { thresholds: [{ percent: 90 }] }],
  ["PATCH", "/v1/account/settings", { quota_mails: false }],
  ["DELETE", "/v1/account/sessions/{id}"],
  ["DELETE", "/v1/account/sessions"],
  ["GET", "/v1/account/export"],
  ["POST", "/v1/auth/logout"],
  ["DELETE", "/v1/account", { password: PASSWORD }],
] as const;

type End = (store: Store, owner: Customer) => Promise<unknown>;

const endings: Record<string, End> = {
  "its account is suspended": (store, { email }) => store.administration.suspend(email, BY),
  "its account is deleted": (store, { email }) => store.administration.delete(email, BY),
  "its session is ended": (store, { email }) => store.administration.endSessions(email, BY),
  "its session is burned": (store, { session }) => store.sessions.burn([sha256(session)], BY),
};

const sha256 = (text: string) => hash("sha256", text);

/** The id of the newest session, and the number of events. */
const LAST = "SELECT max(id) AS session, (SELECT count(*) FROM events) AS events FROM sessions";

type Last = { readonly session: string; readonly events: string };

suite("an owner's change on PostgreSQL", () => {
  test("has a race below, whatever its path", async () => {
    await using service = await startService();
    const { paths } = (await service.get("/openapi.json")).body as unknown as OpenApiDocument;
    const documented = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { security = [] }]) => security.some((scheme) => "Session" in scheme))
        .map(([method]) => `${method.toUpperCase()} ${path}`)
        .filter((name) => !name.startsWith("HEAD") && !/^GET (?!.*export)/.test(name)),
    );

    const raced = changes.map(([method, path]) => `${method} ${path}`);
    assert.deepEqual(raced.sort(), documented.sort());
  });

  for (const [what, end] of Object.entries(endings)) {
    test(`that begins while ${what} waits, is 401 and changes nothing`, async () => {
      await using on = await startPostgres();
      await using store = await on.openStore();
      await using client = await connectTo(on.url);
      const outcomes: unknown[] = [];
      for (const [method, path, json] of changes) {
        const owner = await on.service.newCustomer();
        const { email, session, keyId } = owner;
        await on.service.logIn(email);
        const [last] = (await client.query<Last>(LAST)).rows;
        const id = path.includes("sessions") ? String(last?.session) : keyId;
        const call = () => on.service.call(method, path.replace("{id}", id), { session, json });

        const [, { status }] = await interleave(on, "events", () => end(store, owner), call);

        const events = Number((await client.query<Last>(LAST)).rows[0]?.events);
        outcomes.push([method, path, status, events - Number(last?.events)]);
      }

      // The only event is that of the ending.
      const expected = changes.map(([method, path]) => [method, path, 401, 1]);
      assert.deepEqual(outcomes, expected);
    });
  }
});
