import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { engines, startServiceOn } from "../../support/both-engines.ts";

// Texts that a store might interpret, in every place where a text from a client reaches it.

const PASSWORD = "correct horse battery";

const hostile = [
  "' OR '1'='1",
  "'; DROP TABLE accounts; --",
  "x' UNION SELECT password_hash, 1 FROM accounts --",
  '" OR ""="',
  "\\'; SELECT pg_sleep(9); --",
  "$1",
  "?1",
  ":id",
  "%",
  "_".repeat(36),
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u02bc OR 1=1",
  "\u{1f4a9}".repeat(50),
  "{}",
  "NULL",
];

const isSendable = (value: string) => [...value].every((letter) => letter >= " ");

for (const engine of engines) {
  test(`SQL and other texts that a store might interpret are stored as plain text, on ${engine}`, async () => {
    await using on = await startServiceOn(engine, { config: { authCallsPerWindow: 1_000 } });
    const { service } = on;
    const json = { email: "holder@example.org", password: PASSWORD };
    const session = await service.openSession(json.email);
    const { id, apiKey } = await service.createKey(session, "kept");

    for (const text of hostile) {
      const escaped = encodeURIComponent(text.toWellFormed());
      const path = `/v1/account/api-keys/${escaped}`;
      assertFailure(await service.call("DELETE", path, { session }), 404, "not_found");

      for (const email of [text, `${text}@example.org`, `"${text}"@example.org`]) {
        const login = await service.post("/v1/auth/login", { json: { email, password: text } });
        assert.ok([400, 401].includes(login.status), login.text);
        const reset = await service.post("/v1/auth/password-reset", { json: { email } });
        assert.ok([202, 400].includes(reset.status), reset.text);
      }
      const confirmation = { token: text, password: PASSWORD };
      for (const way of ["verification", "password-reset/confirm"]) {
        const answer = await service.post(`/v1/auth/${way}`, { json: confirmation });
        assertFailure(answer, 400, "invalid_token");
      }

      const read = await service.get(`/v1/rates/${escaped}/USD`, { apiKey });
      const code = text === "NULL" ? "unsupported_pair" : "invalid_asset_symbol";
      assertFailure(read, code === "unsupported_pair" ? 404 : 400, code);
      for (const credential of [text, `${apiKey}${text}`, `svc_live_${text}`]) {
        const value = Buffer.from(credential).toString("latin1");
        if (!isSendable(value)) continue;
        const rejected = await service.get("/v1/rates/EUR/USD", { apiKey: value });
        assertFailure(rejected, 401, "unauthorized");
      }

      const named = await service.post("/v1/account/api-keys", { session, json: { name: text } });
      if (isSendable(text)) assert.equal(named.body.name, text.toWellFormed());
      else assertFailure(named, 400, "invalid_request");
      const made = `/v1/account/api-keys/${named.body.id}`;
      if (named.status === 201) await service.call("DELETE", made, { session });
    }

    const { body } = await service.get("/v1/account/api-keys", { session });
    const keys = body.api_keys as { id: string; name: string; revoked_at?: string }[];
    const active = keys.filter(({ revoked_at }) => revoked_at === undefined);
    assert.deepEqual(
      active.map((key) => key.id),
      [id],
    );
    const kept = hostile.filter(isSendable).map((text) => text.toWellFormed());
    assert.deepEqual(
      keys.slice(1).map(({ name }) => name),
      kept,
    );
    assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
    assert.equal((await service.post("/v1/auth/login", { json })).status, 200);
  });
}
