import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decimal } from "../../../src/platform/shared/decimal.ts";
import { createUpdatePolicy } from "../../../src/rates/served/rules/update-policy.ts";
import { packContent } from "../../../src/rates/sources/fetching/content.ts";
import { createRefreshSource, readSourceStatus } from "../../../src/rates/sources/refresh.ts";
import { BY } from "../../contract/suite/origins.ts";
import {
  body,
  cnbDay,
  ecbDay,
  FETCHED,
  logged,
  nbpTable,
  playPublisher,
  sourceAt,
} from "../../support/fake-publisher.ts";
import { temporaryDirectory } from "../../support/process.ts";
import { headersOf } from "../../support/rates.ts";
import { startService, TestClock } from "../../support/service.ts";
import { openSqliteStore } from "../../support/stores.ts";

const ECB = ecbDay("2026-11-20", { USD: "1.1600" });
const CNB = cnbDay("2026-11-20", { USD: "20.906" });
const NBP = nbpTable("2026-11-20", { USD: "3.6010" });
const clock = new TestClock("2026-11-21T12:00:00.000Z");

/** A publisher whose first response waits until the test releases it. */
async function playSlowPublisher(text: string) {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const publisher = await playPublisher((response) => {
    asked.resolve();
    gate.promise.then(() => response.end(text), assert.fail);
  });
  return { ...publisher, asked: asked.promise, release: gate.resolve };
}

test("two nodes on one database fetch from each publisher once, and both serve its rates", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  await using ecb = await playSlowPublisher(ECB);
  await using cnb = await playPublisher(body(CNB));
  await using nbp = await playPublisher(body(NBP));
  const ecbSource = sourceAt("ecb", [ecb.address], clock);
  const cnbSource = sourceAt("cnb", [cnb.address], clock);
  const nbpSource = sourceAt("nbp", [nbp.address], clock);
  const config = { rateSources: ["ecb", "cnb", "nbp"] };

  const firstSources = [ecbSource, cnbSource, nbpSource];
  await using first = await startService({ dataDirectory, clock, config, sources: firstSources });
  await ecb.asked;
  const sources = [ecbSource, cnbSource];
  await using second = await startService({ dataDirectory, clock, config, sources });
  // It has fetched the next source, so it has skipped the one that the first node fetches.
  await logged(second, FETCHED, "cnb");
  ecb.release();
  // The first node continues with its sources, and has skipped cnb when it fetches nbp.
  await logged(first, FETCHED, "nbp");

  assert.equal(ecb.requests.length, 1);
  assert.equal(cnb.requests.length, 1, "cnb was fetched by both nodes within a moment");
  const { apiKey } = await first.newCustomer();
  for (const node of [first, second]) {
    const { body: json } = await node.get("/v1/rates/EUR/USD", { apiKey });
    assert.equal(json.rate, "1.1600");
  }
});

test("a shutdown during a fetch is no failure of the publisher, and the next start fetches at once", {
  timeout: 600_000,
}, async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  await using ecb = await playSlowPublisher(ECB);
  const sources = [sourceAt("ecb", [ecb.address], clock)];
  const options = { dataDirectory, clock, config: { rateSources: ["ecb"] }, sources };
  const stopped = await startService(options);
  await ecb.asked;

  // Without the shutdown the fetch would never end.
  await stopped[Symbol.asyncDispose]();

  {
    await using store = openSqliteStore(dataDirectory, 5000);
    const [status] = await readSourceStatus(store.sources, sources, clock.nowMs());
    assert.deepEqual([status?.lastError, status?.failures], [undefined, 0]);
  }
  ecb.behave(body(ECB));
  await using service = await startService(options);
  await logged(service, FETCHED, "ecb");
});

test("an exception in a publisher's parser shows in the status and does not block the source", async () => {
  await using directory = await temporaryDirectory();
  await using ecb = await playPublisher(body(ECB));
  await using store = openSqliteStore(directory.path, 5000);
  const sound = sourceAt("ecb", [ecb.address], clock);
  const faulty = { ...sound, fetch: () => Promise.reject(new TypeError("no such member")) };
  const policy = createUpdatePolicy({ rateSources: ["ecb"], maxRateJump: "0.5" as Decimal });
  const refresh = createRefreshSource({
    store,
    clock,
    policy,
    headersOf,
    packContent,
    origin: () => BY,
    random: () => 0.5,
  });
  const how = { signal: new AbortController().signal, onlyWhenDue: false };

  // Reported or thrown: the status must show it in either case.
  await refresh(faulty, how).catch(() => undefined);

  const [status] = await readSourceStatus(store.sources, [sound], clock.nowMs());
  assert.match(status?.lastError ?? "none", /no such member/);
  assert.equal((await refresh(sound, how))?.stored, 1);
});
