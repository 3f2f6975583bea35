import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { SourceError } from "../../../src/rates/sources/source.ts";
import {
  body,
  ecbDay,
  FAILED,
  FETCHED,
  playPublisher,
  sourceAt,
} from "../../support/fake-publisher.ts";
import { eventually } from "../../support/mails.ts";
import { startService, TestClock, type TestService } from "../../support/service.ts";

/** A name that never resolves (RFC 2606, section 2). */
const UNREACHABLE = "http://rates.invalid/today";

const messagesOf = ({ logLines }: TestService) =>
  logLines.map((line) => JSON.parse(line) as { readonly msg: string; readonly level: string });

test("without a network the log has one line that says what is served, and no warning per source", async () => {
  const clock = new TestClock("2026-11-21T12:00:00.000Z");
  const sources = ["ecb", "cnb", "nbp"].map((key) => sourceAt(key, [UNREACHABLE], clock));
  await using service = await startService({ clock, sources });

  const line = await eventually("the line", () =>
    messagesOf(service).find(({ msg }) => msg.startsWith("offline")),
  );

  assert.match(
    line.msg,
    /^offline: serving the snapshot of \d{4}-\d\d-\d\d until the network is back$/,
  );
  assert.deepEqual(
    messagesOf(service).filter(({ msg }) => msg === FAILED),
    [],
  );
});

test("one source that cannot be reached beside others is reported as that source's failure", async () => {
  const clock = new TestClock("2026-11-21T12:00:00.000Z");
  await using publisher = await playPublisher((response) => void response.writeHead(500).end());
  const sources = [
    sourceAt("ecb", [UNREACHABLE], clock),
    sourceAt("cnb", [publisher.address], clock),
  ];
  await using service = await startService({ clock, sources });

  await eventually("both failures", () =>
    messagesOf(service).filter(({ msg }) => msg === FAILED).length === 2 ? true : undefined,
  );

  assert.ok(messagesOf(service).every(({ msg }) => !msg.startsWith("offline")));
});

test("once one source is fetched again, another that stays unreachable is reported each time", {
  timeout: 600_000,
}, async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const clock = new TestClock("2026-11-21T12:00:00.000Z");
  await using publisher = await playPublisher(body(ecbDay("2026-11-20", { USD: "1.1600" })));
  const ecb = sourceAt("ecb", [publisher.address], clock);
  let isOffline = true;
  const sources = [
    {
      ...ecb,
      fetch: (...how: Parameters<typeof ecb.fetch>) =>
        isOffline
          ? Promise.reject(new SourceError("no network", undefined, true))
          : ecb.fetch(...how),
    },
    sourceAt("cnb", [UNREACHABLE], clock),
  ];
  await using service = await startService({ clock, sources });
  const messages = () => messagesOf(service).map(({ msg }) => msg);
  /** Waits until the log has so many lines with a message: the timers stand still. */
  const untilLogged = async (message: string, lines: number) => {
    while (messages().filter((one) => one.startsWith(message)).length < lines) await setImmediate();
  };
  /** Lets the server look for due sources after the backoff of a failure. */
  const lookAgain = () => {
    clock.advanceMs(5 * 60_000);
    t.mock.timers.tick(5000);
  };
  await untilLogged("offline", 1);
  assert.ok(!messages().includes(FAILED));

  isOffline = false;
  lookAgain();
  await untilLogged(FETCHED, 1);
  await untilLogged(FAILED, 1);
  lookAgain();

  await untilLogged(FAILED, 2);
});
