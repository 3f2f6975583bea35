import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import type { Decimal } from "../../../src/platform/shared/decimal.ts";
import { createUpdatePolicy } from "../../../src/rates/served/rules/update-policy.ts";
import { packContent } from "../../../src/rates/sources/fetching/content.ts";
import { createRefreshSource } from "../../../src/rates/sources/refresh.ts";
import type { RateSource } from "../../../src/rates/sources/source.ts";
import { BY } from "../../contract/suite/origins.ts";
import { bodiesOf } from "../../rates/sources/publishers/recorded.ts";
import { engines, startServiceOn } from "../../support/both-engines.ts";
import { kursUnchecked } from "../../support/command-line.ts";
import { type Behaviour, body, playPublisher, sourceAt } from "../../support/fake-publisher.ts";
import { headersOf } from "../../support/rates.ts";
import { TestClock } from "../../support/service.ts";
import { newRateStore, recorded } from "../applicable-rates/store.ts";

const SNAPSHOT = join(import.meta.dirname, "../../../snapshot/rates.json");
const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");

/** The recorded document of the ECB, of another day and with another figure. */
const ecbOf = (day: string, usd: string) =>
  String(bodiesOf("ecb")[0]).replace("2026-03-13", day).replace("1.1476", usd);

/** A running service on a fresh store, its sources, and the command line beside it. */
async function newService(engine: (typeof engines)[number]) {
  await using starting = new AsyncDisposableStack();
  const clock = new TestClock("2026-03-30T16:00:00.000Z");
  const on = starting.use(await startServiceOn(engine, { clock }));
  const store = starting.use(await on.openStore());
  const customer = await on.service.newCustomer();
  const env = { PORT: "8080", ...(on.url === undefined ? {} : { DATABASE_URL: on.url }) };
  const { dataDirectory } = on.service;
  const rateSources = ["ecb", "kraken"];
  const refreshSource = createRefreshSource({
    store,
    clock,
    headersOf,
    packContent,
    origin: () => ({
      ...BY,
      actor: { kind: "service" },
      at: new Date(clock.nowMs()).toISOString(),
    }),
    policy: createUpdatePolicy({ rateSources, maxRateJump: "0.5" as Decimal }),
    random: () => 0.5,
  });
  const started = starting.move();
  return {
    clock,
    read: customer.read,
    directory: dataDirectory,
    refresh: async (source: RateSource) => {
      const how = { signal: new AbortController().signal, onlyWhenDue: false };
      const report = await refreshSource(source, how);
      assert.equal(report?.error, undefined);
      return report;
    },
    // Not disposed of, which would take a document's SHA-256 in the output for a secret.
    rates: (...args: readonly string[]) =>
      kursUnchecked(["rates", ...args], { dataDirectory, env }),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

for (const engine of engines) {
  suite(`a served figure on ${engine}`, () => {
    test("is traced to the line of the bundled snapshot or to its publisher's document, with what happened to its pair", async () => {
      await using service = await newService(engine);
      const { body: served } = await service.read();
      const { stdout: bundled } = await service.rates("trace", "EUR", "USD");
      const content = readFileSync(SNAPSHOT);
      assert.ok(bundled.startsWith(`EUR/USD ${served.rate} as of 2026-03-13T15:00:00Z\n`), bundled);
      assert.match(bundled, /^source {5}ecb: European Central Bank \(EU\)$/m);
      const digest = `sha-256    ${sha256(content)}\nsize       ${content.length} bytes`;
      assert.match(bundled, /^read {7}\S+Z\ndocument {3}snapshot\/rates\.json$/m);
      assert.ok(bundled.includes(`\n${digest}`), bundled);
      const [, line = ""] = /^line {7}([0-9]+), column [0-9]+$/m.exec(bundled) ?? [];
      const stated = content.toString().split("\n")[Number.parseInt(line, 10) - 1]?.trim() ?? "";
      assert.ok(stated.includes(`"EUR", "USD", "${served.rate}"`), stated);
      assert.ok(bundled.includes(`\n  ${stated}\n`), bundled);

      const document = ecbOf("2026-03-30", "1.1600");
      await using publisher = await playPublisher(body(document));
      const ecb = sourceAt("ecb", [publisher.address], service.clock);
      await service.refresh(ecb);
      assert.equal((await service.read()).body.rate, "1.1600");
      service.clock.advanceMs(24 * 3_600_000);
      const jumped = ecbOf("2026-03-31", "116.00");
      publisher.behave(body(jumped));
      assert.equal((await service.refresh(ecb))?.held, 1);
      for (const args of [
        ["release", "EUR", "USD"],
        ["suspend", "EUR", "ISK"],
      ]) {
        assert.equal((await service.rates(...args)).exitCode, 0);
      }
      assert.equal((await service.read()).body.rate, "116.00");

      const { stdout: released } = await service.rates("trace", "EUR", "USD");
      assert.ok(released.includes(`\nsha-256    ${sha256(jumped)}\n`), released);
      assert.match(released, /\n {2}<Cube currency='USD' rate='116\.00'\/>\n {2} +\^{6}\n/);
      assert.match(released, /\n {2}\S+ {2}held 116\.00 as of \S+ by service\n/);
      assert.match(released, /\n {2}\S+ {2}released 116\.00 as of \S+ by operator \S+ from \S+\n/);

      const { stdout: before } = await service.rates("trace", "EUR", "USD", "--at", "2026-03-30");
      assert.ok(before.startsWith("EUR/USD 1.1600 as of 2026-03-30T14:00:00Z\n"), before);
      assert.ok(before.includes(`\nsha-256    ${sha256(document)}\n`), before);
      assert.match(before, /stored 116\.00 as of \S+ from ecb\n/);

      const suspended = await service.rates("trace", "EUR", "ISK", "--json");
      const traced = JSON.parse(suspended.stdout);
      assert.equal(typeof traced.suspended_since, "string");
      assert.deepEqual(
        [traced.rate, traced.origin.figure, traced.origin.sha256, traced.publisher.name],
        ["144.20", "144.20", sha256(jumped), "European Central Bank"],
      );
      assert.equal(traced.story.at(-1).action, "rate.suspended");

      const verified = await service.rates("verify", "--json");
      assert.equal(verified.exitCode, 0);
      const counts = JSON.parse(verified.stdout);
      assert.deepEqual([counts.differences, counts.documents], [[], 3]);
    });
  });
}

test("a figure of a publisher without a calendar is verified by the time of each receipt", async () => {
  await using service = await newService("sqlite");
  const [pairs = "", ticker = ""] = bodiesOf("kraken").map(String);
  const now = () => ({ date: new Date(service.clock.nowMs()).toUTCString() });
  const bodyNow =
    (text: string): Behaviour =>
    (response, headers) =>
      body(text, now())(response, headers);
  await using first = await playPublisher(bodyNow(pairs));
  await using second = await playPublisher(bodyNow(ticker));
  const kraken = sourceAt("kraken", [first.address, second.address], service.clock);
  await service.refresh(kraken);
  service.clock.advanceMs(30_000);
  await service.refresh(kraken);

  const { exitCode, stdout } = await service.rates("verify", "--json");

  assert.deepEqual([exitCode, JSON.parse(stdout).differences], [0, []]);
  const trace = JSON.parse((await service.rates("trace", "BTC", "USD", "--json")).stdout);
  assert.equal(trace.origin.name, second.address);
  assert.equal(trace.origin.figure, "71000.10000");
});

test("a figure is found by the digest in the header of its read, in any form, with the pair or without", async () => {
  await using service = await newService("sqlite");
  const digest = (await service.read()).headers["rate-document"] ?? "";
  const traced = async (form: string, code = 0, ...args: readonly string[]) => {
    const ended = await service.rates("trace", ...args, "--document", form);
    assert.equal(ended.exitCode, code, ended.stderr);
    return ended.stdout + ended.stderr;
  };
  const text = await traced(digest);
  assert.match(text, /^header {5}sha-256=:\S{43}=:\nsource {5}snapshot\nreceived {3}\S+Z\n/);
  assert.match(text, /\nstored {5}303 figures of 299 pairs, as publication 1\n$/);
  const hex = sha256(readFileSync(SNAPSHOT));
  for (const form of [digest.slice(9, -1), hex, hex.toUpperCase()]) {
    assert.equal(await traced(form), text, form);
  }
  const figure = "  EUR/USD 1.1476 as of 2026-03-13T15:00:00Z from ecb\n";
  assert.equal(await traced(digest, 0, "EUR", "USD"), text + figure);
  assert.match(await traced("0".repeat(64), 1), /^kurs: no stored document has this SHA-256: /);
  assert.match(await traced(digest, 1, "XXX", "USD"), /^kurs: this document has no stored figu/);

  const file = join(service.directory, "rates.csv");
  const lines = Array.from({ length: 51 }, (_, year) => `EUR,USD,1,${1960 + year}-03-29T10:00:00Z`);
  lines.push("EUR,USD,1.2,2026-03-29T10:00:00Z");
  await writeFile(file, ["base,quote,rate,as_of", ...lines].join("\n"));
  await service.rates("import", file);
  const header = (await service.read()).headers["rate-document"] ?? "";
  const imported = JSON.parse(await traced(header, 0, "EUR", "USD", "--json"));
  const [{ sha256: found, name, figures, pairs }, ...others] = imported.publications;
  assert.deepEqual([found, name], [sha256(readFileSync(file)), "rates.csv"]);
  assert.deepEqual([figures, pairs, others, imported.has_more], [52, 1, [], true]);
  const first = { rate: "1", as_of: "1960-03-29T10:00:00.000000000Z", source: "import" };
  assert.deepEqual([imported.figures.length, imported.figures[0]], [50, first]);
});

const MARCH = recorded("ecb-2026-03.xml");

test("a verification counts the figures that a document states and the store lacks", async () => {
  await using store = await newRateStore();
  await store.archive("ecb", MARCH, (date) => date <= "2026-03-03" || date === "2026-03-06");
  const verify = async () => JSON.parse(await store.output("rates verify --source ecb --json"));

  const part = await verify();

  assert.deepEqual(part.differences, []);
  assert.equal(part.series.verified_figures, 21);
  const lacking = { source: "ecb", figures: 6, from: "2026-03-04", to: "2026-03-05" };
  assert.deepEqual(part.unstored, [lacking]);
  assert.match(
    await store.output("rates verify --source ecb"),
    /^ecb: documents state 6 figures of 2026-03-04 to 2026-03-05 that the store lacks; see kurs /,
  );

  await store.archive("ecb", MARCH, (date) => date === "2026-03-04");
  assert.deepEqual((await verify()).unstored, [{ ...lacking, figures: 3, from: "2026-03-05" }]);
  await store.archive("ecb", MARCH);
  const whole = await verify();
  assert.deepEqual([whole.series.verified_figures, whole.unstored], [27, []]);
});
