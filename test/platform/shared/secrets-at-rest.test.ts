import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { newInvitation } from "../../contract/suite/customers.ts";
import { BY } from "../../contract/suite/origins.ts";
import { engines, type ServiceOnEngine, startServiceOn } from "../../support/both-engines.ts";
import { eventually, invitationTo, mailTo, tokenOf } from "../../support/mails.ts";
import { connectTo } from "../../support/nodes.ts";
import type { TestService } from "../../support/service.ts";

const PASSWORD = "correct horse battery";
const NEW_PASSWORD = "quite another passphrase";
const EMAIL = "ada@example.org";

/** Uses every kind of secret that a service issues or receives. @returns the secrets. */
async function useEverySecret({ service, openStore }: ServiceOnEngine): Promise<string[]> {
  const sessions = [await service.openSession(EMAIL), await service.openSession()];
  const [session = ""] = sessions;
  const keys = [await service.createKey(session), await service.createKey(session, "revoked")];
  const [kept, revoked] = keys;
  await service.call("DELETE", `/v1/account/api-keys/${revoked?.id}`, { session });
  for (const { apiKey } of keys) await service.get("/v1/rates/EUR/USD", { apiKey });
  await service.post("/v1/auth/login", { json: { email: EMAIL, password: "a wrong passphrase" } });

  const verification = tokenOf(await mailTo(service.dataDirectory, EMAIL, "verify"));
  await service.post("/v1/auth/verification", { json: { token: verification } });
  await service.post("/v1/auth/password-reset", { json: { email: EMAIL } });
  const used = tokenOf(await mailTo(service.dataDirectory, EMAIL, "reset"));
  const json = { token: used, password: NEW_PASSWORD };
  const { status } = await service.post("/v1/auth/password-reset/confirm", { json });
  assert.equal(status, 204);
  await service.post("/v1/auth/password-reset", { json: { email: EMAIL } });
  const unused = tokenOf(await mailTo(service.dataDirectory, EMAIL, "reset", 2));
  assert.equal(
    (await service.get("/v1/rates/EUR/USD", { apiKey: kept?.apiKey ?? "" })).status,
    200,
  );

  const credentials = [...sessions, ...keys.map(({ apiKey }) => apiKey)];
  const invited = newInvitation({ email: "grace@example.org" });
  {
    await using store = await openStore();
    await store.invitations.create(invited, BY);
  }
  await invitationTo(service.dataDirectory, invited.email);

  const bare = credentials.map((credential) => credential.slice(17));
  return [
    ...bare,
    verification,
    used,
    unused,
    invited.token,
    PASSWORD,
    NEW_PASSWORD,
    "a wrong passphrase",
  ];
}

for (const engine of engines) {
  test(`secrets: no table of a used store holds an issued secret, on ${engine}`, async () => {
    await using on = await startServiceOn(engine);
    const secrets = await useEverySecret(on);

    // A mail's file is written before its row says so.
    const rows = await eventually("delivery in every row", async () => {
      const all = on.url === undefined ? rowsOfFile(on.service) : await rowsOfServer(on.url);
      const isPending = (row: string) => /"kind":"invitation".*"delivered_at":null/.test(row);
      return all.some(isPending) ? undefined : all;
    });

    assert.ok(
      rows.some((row) => row.includes(EMAIL)),
      "the tables are empty",
    );
    assert.ok(rows.some((row) => row.includes("$argon2id$")));
    // Delivered mails hold no token, not even one that is still valid.
    for (const secret of secrets) {
      assert.deepEqual(
        rows.filter((row) => row.includes(secret)),
        [],
      );
    }
  });
}

test("secrets: no file of a used store holds a credential or a password, including the WAL", async () => {
  await using on = await startServiceOn("sqlite");
  const { service } = on;
  const secrets = await useEverySecret(on);
  const files = (await readdir(service.dataDirectory)).filter((name) => name.startsWith("kurs.db"));
  assert.ok(files.includes("kurs.db-wal"), "the WAL is missing");

  for (const file of files) {
    const bytes = await readFile(join(service.dataDirectory, file));
    // A mail's row holds its token until delivery, so the WAL may still contain tokens.
    const isToken = (secret: string) => /^[0-9a-f]{64}$/.test(secret);
    const found = secrets.filter((secret) => !isToken(secret) && bytes.includes(secret));
    assert.deepEqual(found, [], file);
  }
});

function rowsOfFile(service: TestService): string[] {
  const tables = service.query("SELECT name FROM sqlite_schema WHERE type = 'table'");
  return tables.flatMap(({ name }) =>
    service.query(`SELECT * FROM "${name}"`).map((row) => JSON.stringify(row)),
  );
}

async function rowsOfServer(url: string): Promise<string[]> {
  await using client = await connectTo(url);
  const { rows: tables } = await client.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()",
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await client.query<object>(`SELECT * FROM "${name}"`);
    rows.push(...found.rows.map((row) => JSON.stringify(row)));
  }
  return rows;
}
