import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { openWire } from "../../support/raw-connection.ts";
import { startSharedService } from "../../support/service.ts";

const service = await startSharedService({ config: { authCallsPerWindow: 1_000 } });

const PASSWORD = "correct horse battery";
const KIB_16 = 16 * 1024;
const asJson = { "content-type": "application/json" };

const accounts = () => service.query("SELECT id, email, plan, email_verified_at FROM accounts");

test("hostile bodies: a compressed body is not decompressed and is invalid JSON", async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, " "), { level: 9 });
  const good = Buffer.from(JSON.stringify({ email: "gz@example.org", password: PASSWORD }));
  const before = accounts();

  for (const [encoding, body] of [
    ["gzip", bomb.subarray(0, KIB_16)],
    ["gzip", gzipSync(good)],
    ["br", brotliCompressSync(good)],
    ["gzip, gzip", gzipSync(gzipSync(good))],
  ] as const) {
    using wire = await openWire(service.url);
    wire.send(
      `POST /v1/auth/register HTTP/1.1\r\nHost: kurs\r\nContent-Type: application/json\r\n` +
        `Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n` +
        body.toString("latin1"),
    );
    const answer = await wire.answer();
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, /"message":"The request body is not valid JSON."/);
  }
  assert.deepEqual(accounts(), before);
});

test("hostile bodies: a leading byte order mark is ignored (RFC 8259, 8.1)", async () => {
  const raw = `\ufeff{"email":"bom@example.org","password":"${PASSWORD}"}`;

  const { status, body } = await service.post("/v1/auth/register", { raw, headers: asJson });

  assert.deepEqual([status, body.email], [201, "bom@example.org"]);
});

test("hostile bodies: of a repeated field every check uses the last value", async () => {
  const raw = `{"email":"first@example.org","email":"last@example.org","password":"${PASSWORD}"}`;

  const { status, body } = await service.post("/v1/auth/register", { raw, headers: asJson });

  assert.deepEqual([status, body.email], [201, "last@example.org"]);
  assert.ok(!accounts().some(({ email }) => email === "first@example.org"));
});

test("hostile bodies: an email of look-alike letters does not log in to the account", async () => {
  const json = { email: "look@example.org", password: PASSWORD };
  await service.post("/v1/auth/register", { json });

  for (const email of ["l\u03bfok@example.org", "look@ex\u0430mple.org", "ｌook@example.org"]) {
    const answer = await service.post("/v1/auth/login", { json: { ...json, email } });
    assert.ok([400, 401].includes(answer.status), answer.text);
  }
});
