import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_ROWS } from "../../../src/platform/shared/pages.ts";
import { assertSessionRejected } from "../../support/assertions.ts";
import { engines, startServiceOn } from "../../support/both-engines.ts";
import { kurs } from "../../support/command-line.ts";
import { addCopies } from "../../support/keys.ts";
import { eventually } from "../../support/mails.ts";
import { startService, startSharedService } from "../../support/service.ts";
import { watchRows } from "../../support/statements.ts";

const EXPORT = "/v1/account/export";

type Exported = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** An export without the time, and without the events of exports. */
const comparable = ({ exported_at: _, events = [], ...rest }: Exported) => ({
  ...rest,
  events: events.filter(({ action }) => !/^account\.export/.test(String(action))),
});

for (const engine of engines) {
  test(`GET ${EXPORT} on ${engine} has what kurs accounts export prints, and of others nothing`, async () => {
    await using on = await startServiceOn(engine);
    const { service, url } = on;
    const ada = await service.newCustomer("ada@example.org");
    const bob = await service.newCustomer("bob@example.org");
    await ada.read();
    const env: Readonly<Record<string, string>> = url === undefined ? {} : { DATABASE_URL: url };
    const { dataDirectory } = service;
    // A mail is written to its file before its delivery is stored.
    const command = await eventually("export with delivered mails", async () => {
      const args = ["accounts", "export", ada.email];
      const { stdout } = await kurs(args, { dataDirectory, env });
      const exported = JSON.parse(stdout) as Exported;
      const isEachDelivered = exported.mails?.every((mail) => mail.delivered_at !== null);
      return isEachDelivered ? exported : undefined;
    });

    const answer = await service.get(EXPORT, { session: ada.session });

    assert.equal(answer.status, 200);
    assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
    const own = answer.body as Exported;
    assert.deepEqual(Object.keys(own), Object.keys(command));
    assert.deepEqual(comparable(own), comparable(command));
    const [exported] = (own.events ?? []).filter(({ actor }) => actor === "account");
    assert.deepEqual([exported?.action, exported?.address], ["account.export_begun", "127.0.0.1"]);
    assert.equal(own.sessions?.[0]?.address, "127.0.0.1");
    for (const secret of ["argon2id", bob.email, bob.keyId, ada.apiKey, ada.session]) {
      assert.ok(!answer.text.includes(secret), secret);
    }
    assert.doesNotMatch(answer.text, /[0-9a-f]{64}/);
    assert.equal(await ada.usedUnits(), 1);
  });
}

const service = await startSharedService();

/** What the audit log and the log say of the only export, or list of keys, of an account. */
const recordedOf = (accountId: string, path = EXPORT) =>
  eventually("the end of the response", () => {
    const sql =
      "SELECT action, actor, origin FROM events WHERE account_id = ? AND action LIKE 'account.export%'";
    const events = service.query(sql, accountId).map((event) => Object.values(event));
    const isOf = (line: string) =>
      line.includes(accountId) && line.includes(`"GET","route":"${path}"`);
    const lines = service.logLines.join("").split("\n").filter(isOf);
    const logged = lines.map((line) => [JSON.parse(line).status, JSON.parse(line).cut_off]);
    const isOver = path === EXPORT ? events.length === 2 : logged.length > 0;
    return isOver ? { events, logged } : undefined;
  });

const BEGUN = ["account.export_begun", "account", "127.0.0.1"];
const SENT = ["account.exported", "service", null];
const CUT_OFF = ["account.export_cut_off", "service", null];

test("an export of many pages is complete and valid JSON", async () => {
  await using own = await startService();
  const session = await own.openSession();
  addCopies(own, (await own.createKey(session, '"')).id, 650);

  const { body } = await own.get(EXPORT, { session });

  const { api_keys: keys = [], events = [] } = body as Exported;
  assert.equal(new Set(keys.map(({ id }) => id)).size, 651);
  assert.equal(keys.at(-1)?.name, '"-000650');
  assert.equal(events.length, 4);
});

/** More than fit into the part of an export that is sent whole. */
const MANY_KEYS = 1_050;

/** Runs `act` when the service has read some full pages of a list. */
function afterPages(pages: number, act: () => void): Disposable {
  let read = 0;
  return watchRows(({ length }) => {
    if (length === PAGE_ROWS) read += 1;
    if (length === PAGE_ROWS && read === pages) act();
  });
}

const endings = [
  ["the end of its session", "DELETE FROM sessions WHERE account_id = ?"],
  ["a suspension", "UPDATE accounts SET suspended_at = '2026-11-21T12:00:00.000Z' WHERE id = ?"],
] as const;

for (const [what, sql] of endings) {
  for (const [name, path, events] of [
    ["an export", EXPORT, [BEGUN, CUT_OFF]],
    ["a list of keys", "/v1/account/api-keys", []],
  ] as const) {
    test(`${name} that is being sent is cut off by ${what}, and is 401 where nothing is sent yet`, async () => {
      for (const pages of [1, 4]) {
        const { session, keyId } = await service.newCustomer();
        addCopies(service, keyId, MANY_KEYS);
        const [key] = service.query("SELECT account_id FROM api_keys WHERE id = ?", keyId);
        using _ = afterPages(pages, () => service.query(sql, String(key?.account_id)));

        if (pages === 1) assertSessionRejected(await service.get(path, { session }));
        else {
          const headers = { authorization: `Session ${session}` };
          const response = await fetch(service.url + path, { headers });
          assert.equal(response.status, 200);
          await assert.rejects(response.text(), /terminated/);
        }
        assertSessionRejected(await service.get("/v1/account", { session }));
        const recorded = await recordedOf(String(key?.account_id), path);
        const logged = pages === 1 ? [401, undefined] : [200, true];
        assert.deepEqual(recorded, { events, logged: [logged] });
      }
    });
  }
}

test("an export that is sent whole is recorded as such, and one whose client left is not", async () => {
  for (const leaves of [false, true]) {
    const { session, keyId } = await service.newCustomer();
    addCopies(service, keyId, MANY_KEYS);
    const [key] = service.query("SELECT account_id FROM api_keys WHERE id = ?", keyId);
    const leaving = new AbortController();
    using _ = afterPages(leaves ? 1 : -1, () => leaving.abort());
    const headers = { authorization: `Session ${session}` };

    const text = fetch(service.url + EXPORT, { headers, signal: leaving.signal })
      .then((response) => response.text())
      .catch(() => undefined);

    assert.equal((await text) === undefined, leaves);
    const { events, logged } = await recordedOf(String(key?.account_id));
    assert.deepEqual(events, [BEGUN, leaves ? CUT_OFF : SENT]);
    // The server may see before its response begins that the client is gone: then it logs none.
    if (!leaves || logged.length > 0) assert.deepEqual(logged, [[200, leaves || undefined]]);
  }
});
