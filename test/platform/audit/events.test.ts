import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { timestamp } from "../../../src/platform/shared/instant.ts";
import { Program } from "../../support/process.ts";
import { startSharedService } from "../../support/service.ts";
import { emptyStore } from "../storage/stored.ts";

interface Event {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly address?: string;
  readonly details: Readonly<Record<string, unknown>>;
}

const service = await startSharedService();

test("events: the list has what the account did, newest first, without any secret", async () => {
  const ada = await service.newCustomer("ada@example.org");
  await service.newCustomer("bob@example.org");
  await service.revokeKey(ada.session, ada.keyId);

  const answer = await service.get("/v1/account/events", { session: ada.session });

  assert.equal(answer.status, 200);
  const events = answer.body.events as Event[];
  assert.deepEqual(
    events.map(({ action, actor, address }) => [action, actor, address]),
    [
      ["api_key.revoked", "account", "127.0.0.1"],
      ["api_key.created", "account", "127.0.0.1"],
      ["session.started", "account", "127.0.0.1"],
      ["account.registered", "account", "127.0.0.1"],
    ],
  );
  const key = { api_key_id: ada.keyId, key_prefix: ada.apiKey.slice(0, 17) };
  assert.deepEqual(events[0]?.details, key);
  for (const secret of [ada.apiKey, ada.session, "bob@example.org"]) {
    assert.ok(!answer.text.includes(secret));
  }
});

test("events: a metered read, a rejected one and a rejected log-in write none", async () => {
  const ada = await service.newCustomer("eve@example.org");
  const before = await service.get("/v1/account/events", { session: ada.session });

  await ada.read();
  await ada.read("XXX/YYY");
  await ada.read("?");
  const wrong = { email: ada.email, password: "not her password" };
  assert.equal((await service.post("/v1/auth/login", { json: wrong })).status, 401);

  const after = await service.get("/v1/account/events", { session: ada.session });
  assert.deepEqual(after.body, before.body);
});

test("events: 100 are listed, older ones before the last of them", async () => {
  const session = await service.openSession();
  for (let round = 0; round < 52; round += 1) {
    await service.revokeKey(session, (await service.createKey(session)).id);
  }
  const page = async (query = "") =>
    (await service.get(`/v1/account/events${query}`, { session })).body.events as Event[];

  const first = await page();
  const second = await page(`?before=${first.at(-1)?.id.toUpperCase()}`);

  assert.deepEqual([first.length, second.length], [100, 6]);
  assert.equal(new Set([...first, ...second].map(({ id }) => id)).size, 106);
  assert.equal(second.at(-1)?.action, "account.registered");
  assert.deepEqual(await page(`?before=${second.at(-1)?.id}`), []);
});

test("events: a place that is no id, empty or repeated is 400", async () => {
  const session = await service.openSession();
  const twice = `before=${"0".repeat(36)}&before=${"1".repeat(36)}`;
  for (const query of ["before=yesterday", "before=", twice]) {
    const answer = await service.get(`/v1/account/events?${query}`, { session });
    assert.deepEqual([answer.status, answer.body.code], [400, "invalid_request"], query);
  }
});

test("events: an account sees that an operator acted, but not who or from where", async () => {
  const session = await service.openSession("seen@example.org");
  service.query(
    "INSERT INTO events (id, at, actor, actor_name, origin, action, account_id, details) " +
      "SELECT '01a1fc7c-4ab2-7000-8000-000000000001', at, 'operator', 'root', " +
      "'one.example.org', 'account.plan_changed', account_id, '{\"plan\":\"pro\"}' FROM events ORDER BY id DESC LIMIT 1",
  );
  const answer = await service.get("/v1/account/events", { session });
  assert.ok(answer.text.includes('"actor":"operator","action":"account.plan_changed"'));
  assert.ok(!answer.text.includes("root") && !answer.text.includes("one.example.org"));
});

test("kurs audit --follow prints every event since a time once, also one that appears behind a later one", async () => {
  await using directory = await emptyStore();
  const dataDirectory = directory.path;
  using database = new DatabaseSync(join(dataDirectory, "kurs.db"), { timeout: 5000 });
  const nowMs = Date.now();
  /** Adds an event of a number of seconds ago. */
  const add = (id: string, secondsAgo: number) =>
    database
      .prepare("INSERT INTO events (id, at, actor, action) VALUES (?, ?, 'service', 'plan.set')")
      .run(id, timestamp(nowMs - secondsAgo * 1000));
  for (const age of [20, 10, 0]) add(`event-${age}`, age);
  const args = ["audit", "--since", timestamp(nowMs - 10_000), "--follow", "--json"];
  await using program = new Program(args, { dataDirectory });
  const idsUntil = (id: string) =>
    program.waitFor(id, () => {
      const lines = program.stdout.split("\n").slice(0, -1);
      const ids = lines.map((line) => (JSON.parse(line) as Event).id);
      return ids.includes(id) ? ids : undefined;
    });

  const first = await idsUntil("event-0");
  add("behind-1", 1);
  await idsUntil("behind-1");
  add("ahead-1", -1);
  const all = await idsUntil("ahead-1");

  assert.deepEqual(first, ["event-10", "event-0"]);
  assert.deepEqual(all, [...first, "behind-1", "ahead-1"]);
});
