import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { engines } from "../../support/both-engines.ts";
import { kurs } from "../../support/command-line.ts";
import { newPostgresDatabase } from "../../support/postgres-databases.ts";
import { type Server, serve, temporaryDirectory } from "../../support/process.ts";

const ACCOUNT_HEADER =
  "account_id,email,plan,quota_units,units,plan_units,granted_units,references,customer_number";
const KEY_HEADER = "account_id,email,plan,date,api_key_id,key_prefix,units,customer_number";

const monthOf = (epochMs: number) => new Date(epochMs).toISOString().slice(0, 7);

for (const engine of engines) {
  suite(`kurs usage export on ${engine}`, () => {
    const resources = new AsyncDisposableStack();
    let server: Server;
    let month: string;
    let where: { dataDirectory: string; env: Record<string, string> };
    const customers: Awaited<ReturnType<Server["newCustomer"]>>[] = [];
    /** The accounts' ids in the order of their registration. */
    let ids: string[];
    const run = (...args: readonly string[]) =>
      kurs(["usage", "export", "--period", month, ...args], where);

    before(async () => {
      const { path: dataDirectory } = resources.use(await temporaryDirectory());
      const env: Record<string, string> = {};
      if (engine === "postgres") {
        env.DATABASE_URL = resources.use(await newPostgresDatabase()).url;
      }
      where = { dataDirectory, env };
      server = resources.use(await serve(where));
      for (const email of ["=1+1@example.org", '"a,b;=c"@example.org', "idle@example.org"]) {
        customers.push(await server.newCustomer(email));
      }
      const [first, second] = customers;
      assert.ok(first !== undefined && second !== undefined);
      const other = await server.createKey(first.session, '=HYPERLINK("https://example.org")');
      for (const apiKey of [first.apiKey, first.apiKey, other.apiKey, second.apiKey]) {
        await server.readRate("EUR/USD", apiKey);
      }
      await server.revokeKey(first.session, other.id);
      const { body } = await server.get("/v1/account/usage/daily", { session: first.session });
      month = (body.days as { date: string }[])[0]?.date.slice(0, 7) ?? "";
      await kurs(["accounts", "customer", first.email, "=1"], where);
      const { stdout } = await kurs(["accounts", "list", "--json"], where);
      ids = (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
    });
    after(() => resources.disposeAsync());

    test("writes a row for each account, also without units: in CSV it disarms formulas", async () => {
      const csv = await run();
      const ndjson = await run("--format", "ndjson");

      for (const { exitCode, stderr } of [csv, ndjson])
        assert.deepEqual([exitCode, stderr], [0, ""]);
      const lines = [
        ACCOUNT_HEADER,
        `${ids[0]},'=1+1@example.org,free,1000,3,3,0,,'=1`,
        `${ids[1]},"""a,b;'=c""@example.org",free,1000,1,1,0,,`,
        `${ids[2]},idle@example.org,free,1000,0,0,0,,`,
      ];
      assert.equal(csv.stdout, `${lines.join("\n")}\n`);
      const rows = customers.map(({ email }, nth) => {
        const account = { account_id: ids[nth], email, plan: "free", quota_units: 1000 };
        const units = [3, 1, 0][nth];
        const origins = { plan_units: units, granted_units: 0, references: "" };
        const number = { customer_number: nth === 0 ? "=1" : "" };
        return JSON.stringify({ ...account, units, ...origins, ...number });
      });
      assert.equal(ndjson.stdout, `${rows.join("\n")}\n`);
    });

    test("writes a row for each key and day with units, revoked keys included", async () => {
      const csv = await run("--per-key-and-day");
      const ndjson = await run("--per-key-and-day", "--format", "ndjson");

      assert.deepEqual([csv.exitCode, csv.stderr], [0, ""]);
      for (const { stdout } of [csv, ndjson]) {
        assert.doesNotMatch(stdout, /HYPERLINK|argon2|svc_sess_|svc_live_[0-9a-f]{9}/);
      }
      const lines = csv.stdout.trimEnd().split("\n");
      assert.equal(lines.length, 4);
      assert.equal(lines[0], KEY_HEADER);
      assert.match(lines[1] ?? "", /^[0-9a-f-]{36},'=1\+1@example\.org,free,\d{4}-\d\d-\d\d,/);
      for (const line of lines.slice(1)) {
        assert.match(line, /,[0-9a-f-]{36},svc_live_[0-9a-f]{8},[12],(?:'=1)?$/);
      }
      const rows = ndjson.stdout.trimEnd().split("\n");
      const parsed = rows.map((row) => JSON.parse(row) as Record<string, unknown>);
      assert.deepEqual(
        parsed.map(({ account_id, units }) => [account_id, units]),
        [
          [ids[0], 2],
          [ids[0], 1],
          [ids[1], 1],
        ],
      );
      assert.equal(parsed[0]?.api_key_id, customers[0]?.keyId);
      assert.equal(parsed[0]?.key_prefix, customers[0]?.apiKey.slice(0, 17));
      assert.deepEqual(Object.keys(parsed[0] ?? {}), KEY_HEADER.split(","));
      assert.equal(await customers[0]?.usedUnits(), 3);
    });

    test("exports the current period by default", async () => {
      const monthBefore = monthOf(Date.now());
      const { exitCode, stdout } = await kurs(["usage", "export"], where);

      assert.equal(exitCode, 0);
      // Another month may have begun during the test.
      const isSame = monthBefore === month && monthOf(Date.now()) === month;
      if (isSame) assert.equal(stdout, (await run()).stdout);
      else assert.ok(stdout.startsWith(`${ACCOUNT_HEADER}\n`), stdout);
    });

    test("a period before the first account has the header alone, and no line of NDJSON", async () => {
      const old = ["usage", "export", "--period", "2000-02"];
      for (const [options, stdout] of [
        [[], `${ACCOUNT_HEADER}\n`],
        [["--per-key-and-day"], `${KEY_HEADER}\n`],
        [["--format", "ndjson"], ""],
      ] as const) {
        const ended = await kurs([...old, ...options], where);
        assert.deepEqual([ended.exitCode, ended.stdout], [0, stdout]);
      }
    });
  });
}
