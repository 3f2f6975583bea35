import assert from "node:assert/strict";
import { test } from "node:test";
import { kurs } from "../../support/command-line.ts";
import { startSharedService } from "../../support/service.ts";

const PATH = "/v1/account/settings";
const service = await startSharedService();

const settingsOf = async (session: string) => (await service.get(PATH, { session })).body;

const eventsOf = (email: string) =>
  service
    .query(
      "SELECT e.actor, e.details FROM events e JOIN accounts a ON a.id = e.account_id " +
        "WHERE a.email = ? AND e.action = 'account.quota_mails_changed' ORDER BY e.at, e.id",
      email,
    )
    .map(({ actor, details }) => `${actor} ${details}`);

test("an account reads and changes its settings, and its events show the change", async () => {
  const session = await service.openSession("ada@example.org");
  const other = await service.openSession("bob@example.org");
  const change = (json: unknown) => service.call("PATCH", PATH, { session, json });
  assert.deepEqual(await settingsOf(session), { quota_mails: true });

  // A member that the settings do not have is ignored, as in other bodies.
  const changed = await change({ quota_mails: false, plan: "pro" });

  assert.deepEqual([changed.status, changed.body], [200, { quota_mails: false }]);
  assert.deepEqual((await change({ quota_mails: false })).body, { quota_mails: false });
  assert.deepEqual(await settingsOf(session), { quota_mails: false });
  assert.deepEqual(await settingsOf(other), { quota_mails: true });
  const { events } = (await service.get("/v1/account/events", { session })).body;
  const [event] = events as { action: string; actor: string; address: string; details: unknown }[];
  const { action, actor, address, details } = event ?? assert.fail("no event");
  assert.equal(action, "account.quota_mails_changed");
  assert.deepEqual([actor, address, details], ["account", "127.0.0.1", { quota_mails: false }]);
  assert.equal(eventsOf("ada@example.org").length, 1);
});

test("kurs accounts quota-mails turns the mails of an account off and on, and records its operator", async () => {
  const here = { dataDirectory: service.dataDirectory };
  const email = "grace@example.org";
  const session = await service.openSession(email);

  const off = await kurs(["accounts", "quota-mails", " Grace@Example.ORG ", "off"], here);
  const line = `${email} gets no mails about thresholds of its usage\n`;
  assert.deepEqual([off.exitCode, off.stdout, off.stderr], [0, line, ""]);
  assert.deepEqual(await settingsOf(session), { quota_mails: false });

  const on = await kurs(["accounts", "quota-mails", email, "on"], here);
  assert.deepEqual([on.exitCode, on.stdout], [0, line.replace("no mails", "mails")]);
  assert.deepEqual(await settingsOf(session), { quota_mails: true });
  assert.deepEqual(eventsOf(email), [
    'operator {"quota_mails":false}',
    'operator {"quota_mails":true}',
  ]);
});
