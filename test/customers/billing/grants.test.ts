import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { assertFailure, assertSessionRejected } from "../../support/assertions.ts";
import { engines, startServiceOn } from "../../support/both-engines.ts";
import { kurs } from "../../support/command-line.ts";
import { startService, TestClock } from "../../support/service.ts";

const GRANTS = "/v1/account/grants";
const EMAIL = "ada@example.org";

/** Wrong use: the arguments, and how the one sentence begins. */
const WRONG: readonly (readonly [args: string, message: RegExp])[] = [
  ["units grant nobody@example.org 5 --reference x", /^there is no account nobody@example\.org/],
  [`units grant ${EMAIL} 0 --reference x`, /^units "0": must be a whole number from 1 to /],
  [`units grant ${EMAIL} 1.5 --reference x`, /^units "1\.5": must be a whole number/],
  [`units grant ${EMAIL} 5 --reference \u202e`, /^--reference .* must be 1 to 200 visible/],
  [`units grant ${EMAIL} 5`, /required option '--reference <text>' not specified/],
  [`units grant ${EMAIL} 5 --reference x --expires 2020-01-31`, /^--expires .* must be later$/],
  [`units grant ${EMAIL} 5 --reference x --expires 2026-02-30`, /there is no such day$/],
  [`units grant ${EMAIL} 5 --reference x --expires soon`, /^--expires "soon": must be a date/],
  ["units list nobody@example.org", /^there is no account nobody@example\.org/],
  ["units revoke 4711", /^"4711": must be the id of a grant, as kurs units list shows it$/],
  ["units revoke 01a1fc7c-4ab2-7000-8000-00000000ffff", /^there is no grant 01a1fc7c-.*ffff: see/],
  ["accounts quota nobody@example.org 5", /^there is no account nobody@example\.org/],
  [`accounts quota ${EMAIL} -- -5`, /^units "-5": must be a whole number from 0 to /],
  [`accounts quota ${EMAIL} free`, /^units "free": must be a whole number from 0 to /],
  [`accounts quota ${EMAIL} plan --until 2999-01-01`, /^--until is the end of an account's own/],
  [`accounts quota ${EMAIL} 5 --until 2020-01-01T00:00:00Z`, /^--until .* must be later$/],
  ["accounts customer nobody@example.org 1", /^there is no account nobody@example\.org/],
  [
    `accounts customer ${EMAIL} ${"1".repeat(65)}`,
    /^number .* must be 1 to 64 visible characters$/,
  ],
  [`accounts customer ${EMAIL} \u00a01`, /^number .* must not begin or end with a space$/],
];

for (const engine of engines) {
  suite(`granted units on ${engine}`, () => {
    test("are used after the quota, are listed to their account alone, and outlast the month", async () => {
      const clock = new TestClock("2026-11-30T23:59:00.000Z");
      await using on = await startServiceOn(engine, { config: { freePlanUnits: 2 }, clock });
      const { service, url } = on;
      const ada = await service.newCustomer(EMAIL);
      const bob = await service.newCustomer("bob@example.org");
      const env: Record<string, string> = url === undefined ? {} : { DATABASE_URL: url };
      const run = (...args: readonly string[]) =>
        kurs(args, { dataDirectory: service.dataDirectory, env });
      const statuses = async (count: number) => {
        const found: number[] = [];
        while (found.length < count) found.push((await ada.read()).status);
        return found;
      };
      const usage = async () => {
        const { used_units, quota_units, remaining_units } = await service.usage(ada.session);
        return [used_units, quota_units, remaining_units];
      };
      assert.deepEqual(await statuses(3), [200, 200, 429]);

      const grant = ["units", "grant", EMAIL, "3", "--reference", "invoice 4711"];
      const granted = await run(...grant);
      assert.match(
        granted.stdout,
        /^ada@example\.org is granted 3 units, for invoice 4711; the gr/,
      );
      const again = await run(...grant);
      assert.match(
        again.stderr,
        /was granted units for invoice 4711 already, by the grant \S+: give/,
      );
      const ending = await run(...grant.with(3, "1").with(5, "trial"), "--expires", "2999-01-01");
      assert.match(ending.stdout, /granted 1 unit until 2999-01-01T00:00:00\.000Z, for trial/);
      assert.deepEqual(await usage(), [2, 6, 4]);
      assert.deepEqual(await statuses(2), [200, 200]);
      assert.deepEqual(await usage(), [4, 6, 2]);
      clock.set("2026-12-01T00:00:00.000Z");
      assert.deepEqual(await usage(), [0, 4, 4]);
      assert.deepEqual(await statuses(3), [200, 200, 200]);

      const [first, second] = (await service.get(GRANTS, ada)).body.grants as { id: string }[];
      const { id = "", granted_at: _, ...rest } = first as Record<string, string>;
      assert.deepEqual(rest, {
        ...{ units: 3, used_units: 2, remaining_units: 1, reference: "invoice 4711" },
        ...{ expires_at: null, revoked_at: null },
      });
      const { reference, remaining_units } = second as unknown as Record<string, unknown>;
      assert.deepEqual([reference, remaining_units], ["trial", 0]);
      assert.equal((await service.get(GRANTS, bob)).text, '{"grants":[]}');
      assertSessionRejected(await service.get(GRANTS));

      const revoked = await run("units", "revoke", id.toUpperCase());
      const line = "the grant for invoice 4711 is revoked: 2 of 3 units were used\n";
      assert.deepEqual([revoked.exitCode, revoked.stdout], [0, line]);
      assertFailure(await ada.read(), 429, "quota_exceeded");
      assert.deepEqual(await usage(), [3, 3, 0]);
      assert.match(
        (await run("units", "revoke", id)).stderr,
        /^kurs: the grant \S+ was revoked at /,
      );
      const list = await run("units", "list", EMAIL);
      assert.match(list.stdout, /^ID +UNITS +USED +LEFT +GRANTED +EXPIRES +REVOKED +REFERENCE\n/);
      assert.match(list.stdout, / 3 +2 +0 +\S+Z +- +\S+Z +invoice 4711\n.* 1 +1 +0 .* - +trial\n$/);
      const none = await run("units", "list", bob.email);
      assert.equal(none.stdout, "bob@example.org was granted no units.\n");

      assert.equal((await run("accounts", "quota", EMAIL, "4")).exitCode, 0);
      assert.deepEqual(await statuses(3), [200, 200, 429]);
      assert.deepEqual(await usage(), [5, 5, 0]);

      const anew = await run(...grant);
      assert.match(anew.stdout, /is granted 3 units, for invoice 4711;/);
      assert.deepEqual(await usage(), [5, 8, 3]);
    });
  });
}

test("wrong use of the commands gets one sentence and changes nothing", async () => {
  await using service = await startService();
  await service.newCustomer(EMAIL);
  const stored = () =>
    ["accounts", "account_terms", "unit_grants", "events"].map((table) =>
      service.query(`SELECT * FROM ${table}`),
    );
  const before = stored();

  for (const [args, message] of WRONG) {
    const { dataDirectory } = service;
    const { exitCode, stdout, stderr } = await kurs(args.split(" "), { dataDirectory });

    assert.deepEqual([exitCode === 1 || exitCode === 2, stdout], [true, ""], args);
    assert.match(stderr.replace(/^kurs: /, "").trimEnd(), message);
    assert.deepEqual(stored(), before, args);
  }
});
