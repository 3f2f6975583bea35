import assert from "node:assert/strict";
import { test } from "node:test";
import { engines, startServiceOn } from "../../support/both-engines.ts";
import { kurs } from "../../support/command-line.ts";

// What a period, an account and a key have is tested on the stores:
// test/contract/suite/daily-usage.ts.

const ACCOUNT_HEADER =
  "account_id,email,plan,quota_units,units,plan_units,granted_units,references,customer_number";
const KEY_HEADER = "account_id,email,plan,date,api_key_id,key_prefix,units,customer_number";

for (const engine of engines) {
  test(`kurs usage export on ${engine} writes a row for each account, or each key and day: in CSV it disarms formulas`, async () => {
    await using on = await startServiceOn(engine);
    const { service, url } = on;
    const { clock, dataDirectory } = service;
    const where = { clock, dataDirectory, env: url === undefined ? {} : { DATABASE_URL: url } };
    const run = async (...args: readonly string[]) => {
      const { exitCode, stdout, stderr } = await kurs(["usage", "export", ...args], where);
      assert.deepEqual([exitCode, stderr], [0, ""]);
      return stdout;
    };
    const first = await service.newCustomer("=1+1@example.org");
    const second = await service.newCustomer('"a,b;=c"@example.org');
    const idle = await service.newCustomer("idle@example.org");
    const other = await service.createKey(first.session, '=HYPERLINK("https://example.org")');
    await service.revokeKey(first.session, (await service.createKey(first.session)).id);
    for (const apiKey of [first.apiKey, first.apiKey, other.apiKey, second.apiKey]) {
      await service.readRate("EUR/USD", apiKey);
    }
    await service.revokeKey(first.session, other.id);
    await kurs(["accounts", "customer", first.email, "=1"], where);
    const { stdout } = await kurs(["accounts", "list", "--json"], where);
    const [a, b, c] = (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);

    const lines = [
      ACCOUNT_HEADER,
      `${a},'=1+1@example.org,free,1000,3,3,0,,'=1`,
      `${b},"""a,b;'=c""@example.org",free,1000,1,1,0,,`,
      `${c},idle@example.org,free,1000,0,0,0,,`,
    ];
    const csv = await run("--period", "2026-11");
    assert.equal(csv, `${lines.join("\n")}\n`);
    assert.equal(await run(), csv);
    const rows = [
      [a, first.email, 3, "=1"],
      [b, second.email, 1, ""],
      [c, idle.email, 0, ""],
    ].map(([account_id, email, units, customer_number]) => {
      const account = { account_id, email, plan: "free", quota_units: 1000, units };
      const origins = { plan_units: units, granted_units: 0, references: "" };
      return `${JSON.stringify({ ...account, ...origins, customer_number })}\n`;
    });
    assert.equal(await run("--format", "ndjson"), rows.join(""));

    const ofKeys = [
      [`${a},'=1+1@example.org`, first.keyId, first.apiKey, "2,'=1"],
      [`${a},'=1+1@example.org`, other.id, other.apiKey, "1,'=1"],
      [`${b},"""a,b;'=c""@example.org"`, second.keyId, second.apiKey, "1,"],
    ] as const;
    const expected = ofKeys.map(([account, id, apiKey, end]) => {
      return `${account},free,2026-11-21,${id},${apiKey.slice(0, 17)},${end}`;
    });
    assert.equal(await run("--per-key-and-day"), `${[KEY_HEADER, ...expected].join("\n")}\n`);
    const [day, ...more] = (await run("--per-key-and-day", "--format", "ndjson")).split("\n");
    assert.equal(more.length, 3);
    const ofFirst = [a, first.email, "free", "2026-11-21", first.keyId];
    const values = [...ofFirst, first.apiKey.slice(0, 17), 2, "=1"];
    const pairs = KEY_HEADER.split(",").map((name, nth) => [name, values[nth]]);
    assert.equal(day, JSON.stringify(Object.fromEntries(pairs)));

    for (const [options, none] of [
      [[], `${ACCOUNT_HEADER}\n`],
      [["--per-key-and-day"], `${KEY_HEADER}\n`],
      [["--format", "ndjson"], ""],
    ] as const) {
      assert.equal(await run("--period", "2000-02", ...options), none);
    }
  });
}
