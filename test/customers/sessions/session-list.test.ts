import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { assertFailure, assertSessionRejected, uuidV7 } from "../../support/assertions.ts";
import { PASSWORD } from "../../support/client.ts";
import { startService, startSharedService, type TestService } from "../../support/service.ts";

const SESSIONS = "/v1/account/sessions";
const USAGE = "/v1/account/usage";

interface Listed {
  readonly id: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly address: string;
  readonly client: string | null;
  readonly current: boolean;
}

const listOf = async (service: TestService, session: string) =>
  (await service.get(SESSIONS, { session })).body.sessions as readonly Listed[];

const isValid = async (service: TestService, session: string) =>
  (await service.get(USAGE, { session })).status === 200;

const eventsOf = async (session: string) => {
  const { events } = (await service.get("/v1/account/events", { session })).body;
  const all = events as { id: string; at: string; action: string; details: unknown }[];
  return all.filter(({ action }) => action.endsWith(".ended"));
};

const service = await startSharedService({ config: { trustedProxies: ["loopback"] } });

test("sessions: the list has the account's valid ones, newest first, without a token or its digest", async () => {
  const first = await service.openSession("ada@example.org");
  service.clock.advanceMs(1000);
  const login = { json: { email: "ada@example.org", password: PASSWORD } };
  const headers = { "user-agent": "curl/8.14.1" };
  const second = String(
    (await service.post("/v1/auth/login", { ...login, headers })).body.session_token,
  );
  const other = await service.openSession();

  const answer = await service.get(SESSIONS, { session: first });

  assert.equal(answer.status, 200);
  const [newest, oldest] = answer.body.sessions as readonly Listed[];
  const of = (day: number, second: number) => `2026-11-${day}T12:00:0${second}.000Z`;
  const address = "127.0.0.1";
  assert.deepEqual(answer.body.sessions, [
    {
      id: newest?.id,
      created_at: of(21, 1),
      expires_at: of(22, 1),
      address,
      client: "curl",
      current: false,
    },
    {
      id: oldest?.id,
      created_at: of(21, 0),
      expires_at: of(22, 0),
      address,
      client: null,
      current: true,
    },
  ]);
  for (const { id } of [newest, oldest] as readonly Listed[]) assert.match(id, uuidV7);
  for (const token of [first, second, other]) {
    for (const secret of [token, token.slice("svc_sess_".length), hash("sha256", token)]) {
      assert.ok(!answer.text.includes(secret));
    }
  }
  const current = (await listOf(service, second)).map((listed) => listed.current);
  assert.deepEqual(current, [true, false]);
});

test("sessions: one that another one or itself ends is rejected at the next request, with an event", async () => {
  const own = await service.openSession("eve@example.org");
  const stolen = await service.logIn("eve@example.org");
  const id = (await listOf(service, own))[0]?.id ?? "";
  const end = (spelled: string) =>
    service.call("DELETE", `${SESSIONS}/${spelled}`, { session: own });

  const ended = await end(id.toUpperCase());

  assert.deepEqual([ended.status, ended.text], [204, ""]);
  assertSessionRejected(await service.get(USAGE, { session: stolen }));
  assert.equal((await listOf(service, own)).length, 1);
  const event = { action: "session.ended", actor: "account", address: "127.0.0.1" };
  const details = { session_id: id };
  const [{ id: _, at: __, ...recorded } = {}] = await eventsOf(own);
  assert.deepEqual(recorded, { ...event, details });
  assertFailure(await end(id), 404, "not_found", "There is no valid session with this id.");
  const [current] = await listOf(service, own);
  assert.equal((await end(current?.id ?? "")).status, 204);
  assertSessionRejected(await service.get(USAGE, { session: own }));
});

test("sessions: one ends every other one of its account at once, and stays valid", async () => {
  const { email, session: own, read } = await service.newCustomer();
  const others = [await service.logIn(email), await service.logIn(email)];
  const foreign = await service.openSession();

  // Its body is ignored.
  const ended = await service.call("DELETE", SESSIONS, { session: own, raw: "{" });

  assert.deepEqual([ended.status, ended.text], [204, ""]);
  for (const session of others) {
    assertSessionRejected(await service.call("DELETE", SESSIONS, { session }));
  }
  for (const session of [own, foreign]) assert.ok(await isValid(service, session));
  assert.equal((await read()).status, 200);
  assert.equal((await service.call("DELETE", SESSIONS, { session: own })).status, 204);
  const details = (await eventsOf(own)).map((event) => event.details);
  assert.deepEqual(details, [{ sessions: 2 }]);
});

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
