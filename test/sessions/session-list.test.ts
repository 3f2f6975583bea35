import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { suite, test } from "node:test";
import { assertFailure, assertSessionRejected, uuidV7 } from "../support/assertions.ts";
import { engines, startServiceOn } from "../support/both-engines.ts";
import { PASSWORD } from "../support/client.ts";
import { startService, startSharedService, type TestService } from "../support/service.ts";

const SESSIONS = "/v1/account/sessions";
const USAGE = "/v1/account/usage";

interface Listed {
  readonly id: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly address: string;
  readonly current: boolean;
}

const listOf = async (service: TestService, session: string) =>
  (await service.get(SESSIONS, { session })).body.sessions as readonly Listed[];

const isValid = async (service: TestService, session: string) =>
  (await service.get(USAGE, { session })).status === 200;

/** The id of a session, as another session of the account sees it: the newest one. */
const newestOf = async (service: TestService, session: string) =>
  (await listOf(service, session))[0]?.id ?? "";

const eventsOf = async (service: TestService, session: string) => {
  const { events } = (await service.get("/v1/account/events", { session })).body;
  return (events as { action: string; actor: string; address: string; details: unknown }[]).filter(
    ({ action }) => action.endsWith(".ended"),
  );
};

for (const engine of engines) {
  suite(`${SESSIONS} on ${engine}`, () => {
    test("lists the account's valid sessions, newest first, without a token or its digest", async () => {
      await using on = await startServiceOn(engine);
      const { service } = on;
      const first = await service.openSession("ada@example.org");
      service.clock.advanceMs(1000);
      const second = await service.logIn("ada@example.org");
      const other = await service.openSession("bob@example.org");

      const answer = await service.get(SESSIONS, { session: first });

      assert.equal(answer.status, 200);
      const [newest, oldest] = answer.body.sessions as readonly Listed[];
      assert.deepEqual(answer.body, {
        sessions: [
          {
            id: newest?.id,
            created_at: "2026-11-21T12:00:01.000Z",
            expires_at: "2026-11-22T12:00:01.000Z",
            address: "127.0.0.1",
            current: false,
          },
          {
            id: oldest?.id,
            created_at: "2026-11-21T12:00:00.000Z",
            expires_at: "2026-11-22T12:00:00.000Z",
            address: "127.0.0.1",
            current: true,
          },
        ],
      });
      for (const { id } of [newest, oldest] as readonly Listed[]) assert.match(id, uuidV7);
      for (const token of [first, second, other]) {
        for (const secret of [token, token.slice("svc_sess_".length), hash("sha256", token)]) {
          assert.ok(!answer.text.includes(secret));
        }
      }
      assert.deepEqual(
        (await listOf(service, second)).map(({ current }) => current),
        [true, false],
      );
    });

    test("a session that another one ends is rejected at the next request on every node", async () => {
      await using on = await startServiceOn(engine);
      const { service, config } = on;
      const { clock, dataDirectory } = service;
      await using node = await startService({ clock, dataDirectory, config });
      const own = await service.openSession("ada@example.org");
      const stolen = await service.logIn("ada@example.org");
      const id = await newestOf(service, own);
      assert.ok(await isValid(node, stolen));

      const ended = await service.call("DELETE", `${SESSIONS}/${id.toUpperCase()}`, {
        session: own,
      });

      assert.deepEqual([ended.status, ended.text], [204, ""]);
      for (const each of [service, node]) {
        assertSessionRejected(await each.get(USAGE, { session: stolen }));
        assert.ok(await isValid(each, own));
      }
      assert.equal((await listOf(node, own)).length, 1);
      assert.deepEqual(
        (await eventsOf(service, own)).map(({ action, actor, address, details }) => [
          action,
          actor,
          address,
          details,
        ]),
        [["session.ended", "account", "127.0.0.1", { session_id: id }]],
      );
      assertFailure(
        await service.call("DELETE", `${SESSIONS}/${id}`, { session: own }),
        404,
        "not_found",
        "There is no valid session with this id.",
      );
    });

    test("a session ends every other one of its account at once, and stays valid", async () => {
      await using on = await startServiceOn(engine);
      const { service, config } = on;
      const { clock, dataDirectory } = service;
      await using node = await startService({ clock, dataDirectory, config });
      const { session: own, read } = await service.newCustomer("ada@example.org");
      const others = [await service.logIn("ada@example.org"), await node.logIn("ada@example.org")];
      const bob = await service.openSession("bob@example.org");

      const ended = await service.call("DELETE", SESSIONS, { session: own });

      assert.deepEqual([ended.status, ended.text], [204, ""]);
      for (const each of [service, node]) {
        for (const session of others) {
          assertSessionRejected(await each.get(USAGE, { session }));
          assertSessionRejected(await each.call("DELETE", SESSIONS, { session }));
        }
        assert.ok(await isValid(each, own));
        assert.ok(await isValid(each, bob));
      }
      assert.equal((await read()).status, 200);
      assert.equal((await service.call("DELETE", SESSIONS, { session: own })).status, 204);
      assert.deepEqual(
        (await eventsOf(service, own)).map(({ action, details }) => [action, details]),
        [["sessions.ended", { sessions: 2 }]],
      );
    });
  });
}

const service = await startSharedService({ config: { trustedProxies: ["loopback"] } });

const logInFrom = async (email: string, from: string) => {
  const headers = { "x-forwarded-for": from };
  const json = { email, password: PASSWORD };
  const { body } = await service.post("/v1/auth/login", { headers, json });
  return String(body.session_token);
};

test("sessions: the address is the client's, of IPv6 the /64", async () => {
  const session = await service.openSession("six@example.org");
  await logInFrom("six@example.org", "2001:db8:1:2:3:4:5:6");
  await logInFrom("six@example.org", "::ffff:192.0.2.7");

  const addresses = (await listOf(service, session)).map(({ address }) => address);

  assert.deepEqual(addresses, ["192.0.2.7", "2001:db8:1:2::/64", "127.0.0.1"]);
});

test("sessions: a session can end itself by its id", async () => {
  const session = await service.openSession();
  const [own] = await listOf(service, session);

  const answer = await service.call("DELETE", `${SESSIONS}/${own?.id}`, { session });

  assert.equal(answer.status, 204);
  assertSessionRejected(await service.get(USAGE, { session }));
});

test("sessions: another account's id, an unknown one, a token and a digest are 404 and end nothing", async () => {
  const session = await service.openSession();
  const foreign = await service.openSession();
  const [theirs] = await listOf(service, foreign);
  const before = service.query("SELECT * FROM sessions");

  const ids = [theirs?.id, "00000000-0000-7000-8000-000000000000", foreign, "x", "%00"];
  for (const id of [...ids, hash("sha256", foreign), "ffffffff-ffff-ffff-ffff-ffffffffffff"]) {
    const answer = await service.call("DELETE", `${SESSIONS}/${id}`, { session });
    assertFailure(answer, 404, "not_found", "There is no valid session with this id.");
  }

  assert.deepEqual(service.query("SELECT * FROM sessions"), before);
});

test("sessions: a body is ignored, and one over 16 KiB ends nothing", async () => {
  const session = await service.openSession("body@example.org");
  const other = await service.logIn("body@example.org");

  const large = { session, raw: " ".repeat(16_385) };
  assertFailure(await service.call("DELETE", SESSIONS, large), 413, "payload_too_large");
  assert.ok(await isValid(service, other));

  const headers = { "content-type": "text/plain" };
  const ended = await service.call("DELETE", SESSIONS, { session, raw: "{", headers });
  assert.equal(ended.status, 204);
  assert.ok(!(await isValid(service, other)));
});

test("sessions: hundreds are listed, each once, newest first", async () => {
  await using own = await startService();
  const session = await own.openSession("ada@example.org");
  own.query(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 450)
    INSERT INTO sessions (token_hash, id, account_id, created_at, expires_at, address)
    SELECT printf('%064x', n), printf('00000000-0000-7000-8000-%012x', n), account_id, created_at,
      expires_at, address FROM sessions, numbers`);

  const ids = (await listOf(own, session)).map(({ id }) => id);

  assert.equal(ids.length, 451);
  assert.deepEqual(ids, [...new Set(ids)].sort().reverse());
});
