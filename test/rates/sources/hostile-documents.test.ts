import assert from "node:assert/strict";
import { test } from "node:test";
import { createPublisherSource } from "../../../src/rates/sources/fetching/publisher-source.ts";
import { kursUnchecked } from "../../support/command-line.ts";
import { LIMITS, playPublisher, publisherAt, USER_AGENT } from "../../support/fake-publisher.ts";
import { temporaryDirectory } from "../../support/process.ts";
import { TestClock } from "../../support/service.ts";
import { bodiesOf } from "./publishers/recorded.ts";

type Change = readonly [from: string, to: string];

/** What a publisher's recorded documents become, and the pair of the changed figure. */
interface Hostile {
  readonly now: string;
  /** A part of every date, an older one and one in the future. */
  readonly dates: readonly [stated: string, older: string, future: string];
  readonly digit: readonly [...Change, pair: string, held: string];
  /** A figure for 100 units that is called one for a unit, or the reverse. */
  readonly units: readonly [...Change, pair: string, held: string];
}

const HOSTILE: Readonly<Record<string, Hostile>> = {
  bcch: {
    now: "2026-03-13T16:00:00Z",
    dates: ["-03-2026", "-02-2026", "-07-2027"],
    digit: ['"909.94"', '"9099.94"', "USD/CLP", "9099.94"],
    units: ['"5.71"', '"571"', "JPY/CLP", "571"],
  },
  bot: {
    now: "2026-04-03T16:00:00Z",
    dates: ["2026-04-0", "2026-02-0", "2027-02-0"],
    digit: ["32.6448000", "332.6448000", "USD/THB", "332.6448000"],
    units: ["(100 YEN) (JPY)", "(1 YEN) (JPY)", "JPY/THB", "20.4832000"],
  },
  dnb: {
    now: "2024-11-14T18:00:00Z",
    dates: ["2024-11-14", "2024-11-13", "2025-11-13"],
    digit: ["708.18", "7008.18", "USD/DKK", "70.0818"],
    units: ["97.81", "0.9781", "CNY/DKK", "0.009781"],
  },
  nbg: {
    now: "2022-08-06T10:00:00Z",
    dates: ["2022-08-0", "2022-07-0", "2023-07-0"],
    digit: ['"rate": 1.8883', '"rate": 11.8883', "AUD/GEL", "11.8883"],
    units: ['"quantity": 1000', '"quantity": 1', "AMD/GEL", "6.7023"],
  },
  sarb: {
    now: "2026-03-27T16:00:00Z",
    dates: ['"2026-03-', '"2026-02-', '"2027-03-'],
    digit: ["17.1302", "177.1302", "USD/ZAR", "177.1302"],
    units: ["9.3324", "933.24", "ZAR/JPY", "933.24"],
  },
};

/** A store with a publisher's recorded figures, and the publisher, whose documents can change. */
async function setUp(key: string, now: string) {
  await using starting = new AsyncDisposableStack();
  let documents = bodiesOf(key).map(String);
  const recorded = documents;
  const play = await playPublisher((response) => {
    const [, index] = response.req.url?.split("?") ?? [];
    response.writeHead(200).end(documents[Number(index)]);
  });
  const publisher = starting.use(play);
  const { path: dataDirectory } = starting.use(await temporaryDirectory());
  const clock = new TestClock(now);
  const addresses = documents.map((_, index) => `${publisher.address}?${index}`);
  const settings = { userAgent: USER_AGENT, limits: LIMITS, clock, token: "user:secret" };
  const source = createPublisherSource(publisherAt(key, addresses), settings);
  const run = async (command: string): Promise<string> => {
    const options = { dataDirectory, clock, sourcesOf: () => [source], env: { RATE_SOURCES: key } };
    const { stdout, stderr } = await kursUnchecked(command.split(" "), options);
    return stdout + stderr;
  };
  await run("migrate");
  await run(`rates fetch ${key}`);
  const disposable = starting.move();
  return {
    run,
    recorded,
    /** Fetches other documents. */
    async fetch(others: readonly string[]): Promise<string> {
      documents = [...others];
      clock.advanceMs(60_000);
      return await run(`rates fetch ${key}`);
    },
    [Symbol.asyncDispose]: () => disposable.disposeAsync(),
  };
}

for (const [key, { now, dates, digit, units }] of Object.entries(HOSTILE)) {
  test(`${key}: no hostile document changes what is served or loses a figure, and each is named`, async () => {
    await using setup = await setUp(key, now);
    const { run, recorded, fetch } = setup;
    const served = await run("rates list --json");
    const seriesOf = (pair: string) => run(`rates list ${pair.replace("/", " ")}`);
    const series = await seriesOf(digit[2]);
    const alter = (from: string, to: string) => {
      const changed = recorded.map((body) => body.replaceAll(from, to));
      assert.notDeepEqual(changed, recorded, from);
      return changed;
    };
    const [stated, older, future] = dates;
    const page = "<!DOCTYPE html><html><body>Maintenance</body></html>";

    assert.match(await fetch(recorded.map(() => "")), /^\S+ failed: the response is empty$/m);
    assert.match(await fetch(recorded.map(() => page)), /failed: .*: it is an HTML page/);
    assert.match(await fetch(alter(stated, older)), /stored 0, held 0, skipped \d+, rejected 0/);
    assert.match(
      await fetch(alter(stated, future)),
      /failed: no rates in the response: "[A-Z]{3}\/[A-Z]{3}": as_of ".+" is more than a day in the future$/m,
    );
    assert.equal(await run("rates held"), "No rate is held.\n");
    for (const [from, to, pair, figure] of [digit, units]) {
      assert.match(await fetch(alter(from, to)), /stored 0, held 1, skipped \d+, rejected 0/);
      const held = (await run("rates held")).split("\n").slice(1, -1);
      assert.deepEqual(
        held.map((line) => line.replaceAll(/^(\S+) +(\S+) .* (\S+)$/g, "$1 $2 $3")),
        [`${pair} ${figure} jump`],
      );
      // The publisher corrects itself: nobody has to decide.
      await fetch(recorded);
      assert.equal(await run("rates held"), "No rate is held.\n");
    }
    const withoutAge = (json: string) => json.replaceAll(/"age_[^,]+,/g, "");
    assert.equal(withoutAge(await run("rates list --json")), withoutAge(served));
    const kept = new Set((await seriesOf(digit[2])).split("\n"));
    for (const line of series.split("\n").slice(1)) assert.ok(kept.has(line), line);
    assert.match(await run("rates verify"), /^verified \d+ figures/);
  });
}
