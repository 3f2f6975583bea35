import "./tab.ts";
import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { h, options, render } from "preact";
import { endListedSession } from "../../../console/src/api/access.ts";
import { deleteAccount, exportAccount, readAccount } from "../../../console/src/api/account.ts";
import { listKeysWithUsage } from "../../../console/src/api/keys.ts";
import { ApiError } from "../../../console/src/api/request.ts";
import { lastCoverage, loadCoverage } from "../../../console/src/coverage.ts";
import { doubtAbout } from "../../../console/src/doubtful-pair.ts";
import { findHome } from "../../../console/src/home.ts";
import { type Loading, useAction, useLoading } from "../../../console/src/loading.ts";
import { beginSession, endSession, session, sessionEnd } from "../../../console/src/session.ts";
import { failure, settle, tab } from "./tab.ts";

// What the console sends, what it makes of the responses, and which of them it shows: no browser.

const NOW = "2026-11-21T12:00:00.000Z";
const DAY_MS = 86_400_000;

mock.timers.enable({ apis: ["Date", "setTimeout", "setInterval"], now: Date.parse(NOW) });
beforeEach(() => {
  endSession("logged out");
  mock.timers.setTime(Date.parse(NOW));
  const expiresAt = new Date(Date.parse(NOW) + DAY_MS).toISOString();
  beginSession({ email: "ada@example.org", token: "svc_sess_1", expiresAt });
  tab.sent.length = 0;
});

/** Replies by the path, without the service's own part; another path fails the test. */
function serve(replies: Readonly<Record<string, () => Response>>): void {
  tab.reply = ({ path }) =>
    (replies[path.replace("/kurs/v1/account", "")] ?? (() => assert.fail(path)))();
}

const codeOf = (work: Promise<unknown>) =>
  work.catch((error: unknown) => (error instanceof ApiError ? error.code : error));

const BUSY = "temporarily_unavailable";
const noJson = () => new Response('{"pairs":[');

for (const [what, reply, code, passes, isOperators] of [
  ["no response", () => Promise.reject(new TypeError()), "unreachable", true, false],
  ["another network's page", () => new Response("<!doctype html>"), "unreachable", true, false],
  ["half of a response", noJson, "unreachable", true, false],
  ["a proxy's page", () => new Response("<h1>Bad", { status: 502 }), "unreachable", true, false],
  ["a busy service", () => failure(503, BUSY), BUSY, true, true],
  ["a failure", () => failure(500, "internal_error"), "internal_error", false, true],
  ["a rejected field", () => failure(400, "invalid_request"), "invalid_request", false, false],
] as const) {
  test(`${what} is the failure ${code}`, async () => {
    tab.reply = reply;
    const error = await readAccount().catch((problem: unknown) => problem);
    assert.ok(error instanceof ApiError);
    const { isPassing, requestId } = error;
    assert.deepEqual([error.code, isPassing, error.isOperators], [code, passes, isOperators]);
    assert.equal(requestId, code === "unreachable" ? undefined : "01a1");
    assert.equal(sessionEnd.value, undefined);
  });
}

test("a 401 ends the session that was sent, and not a newer one", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  tab.reply = () => promise;
  const reading = codeOf(readAccount());
  endSession("logged out");
  beginSession({ email: "bob@example.org", token: "svc_sess_2", expiresAt: "2026-12-01" });
  resolve(failure(401, "unauthorized"));
  assert.equal(await reading, "unauthorized");
  assert.equal(session.value?.token, "svc_sess_2");

  tab.reply = () => failure(401, "unauthorized");
  assert.equal(await codeOf(readAccount()), "unauthorized");
  assert.deepEqual([session.value, sessionEnd.value], [undefined, "expired"]);
});

test("a wrong password deletes nothing and keeps the session; one that is over ends", async () => {
  const unauthorized = () => failure(401, "unauthorized");
  tab.reply = ({ method }) => (method === "DELETE" ? unauthorized() : Response.json({}));
  await assert.rejects(deleteAccount("wrong"), /The password is incorrect. Nothing was deleted./);
  assert.equal(session.value?.token, "svc_sess_1");

  tab.reply = unauthorized;
  await assert.rejects(deleteAccount("right"), /It is unauthorized/);
  assert.equal(sessionEnd.value, "expired");
});

test("an export is the text that was sent, and half of one is none", async () => {
  tab.reply = () => new Response('{"email": "ada@example.org"}');
  assert.equal(await exportAccount(), '{"email": "ada@example.org"}');
  tab.reply = noJson;
  assert.equal(await codeOf(exportAccount()), "unreachable");
});

test("a listed session that is over already counts as ended, another failure does not", async () => {
  tab.reply = () => failure(404, "not_found");
  await endListedSession("1");
  tab.reply = () => failure(429, "rate_limited");
  assert.equal(await codeOf(endListedSession("1")), "rate_limited");
});

test("a key without usage has never been used", async () => {
  serve({
    "/api-keys": () => Response.json({ api_keys: [{ id: "1" }, { id: "2" }] }),
    "/usage/api-keys": () =>
      Response.json({ api_keys: [{ api_key_id: "2", last_used_on: "2026-11-20", units: 3 }] }),
    "/usage/limits": () => Response.json({ api_keys: [{ api_key_id: "2", units_per_day: 1 }] }),
  });
  assert.deepEqual(await listKeysWithUsage(), [
    { id: "1", last_used_on: null, units: 0, limits: undefined },
    {
      id: "2",
      last_used_on: "2026-11-20",
      units: 3,
      limits: { api_key_id: "2", units_per_day: 1 },
    },
  ]);
});

for (const [what, reply, home] of [
  ["an active key", () => Response.json({ api_keys: [{ revoked_at: NOW }, {}] }), "/home"],
  ["revoked keys", () => Response.json({ api_keys: [{ revoked_at: NOW }] }), "/keys"],
  ["keys that cannot be listed", () => failure(500, "internal_error"), "/keys"],
] as const) {
  test(`an account with ${what} starts at ${home}`, async () => {
    tab.reply = reply;
    assert.equal(await findHome(), home);
  });
}

const pair = (base: string, quote: string, suspended = false) => {
  return { base, quote, base_name: null, quote_name: `${quote}'s`, suspended };
};

const page = (pairs: readonly object[], next: string | null, etag: string) => () => {
  const { headers } = tab.sent.at(-1) ?? assert.fail();
  if (headers.get("if-none-match") === etag) return new Response(null, { status: 304 });
  return Response.json({ pairs, next }, { headers: { etag } });
};

const listed = {
  "/sources": () => Response.json({ sources: [{ key: "ecb", name: "ECB" }] }),
  "/pairs": page([pair("EUR", "USD"), pair("EUR", "CHF")], "EUR/USD", "a"),
  "/pairs?after=EUR/USD": page([pair("USD", "CHF", true)], null, "b"),
};

test("pairs come page by page, and once more only where a page has changed", async () => {
  serve(listed);
  const first = await loadCoverage();
  assert.deepEqual([...first.pairOf.keys()], ["EUR/USD", "EUR/CHF", "USD/CHF"]);
  const symbols = [first.bases, first.quotes].map((all) => all.map(({ symbol }) => symbol).join());
  assert.deepEqual(symbols, ["EUR,USD", "CHF,USD"]);
  assert.deepEqual(first.quotesOf.get("USD"), [{ symbol: "CHF", name: "CHF's" }]);

  const second = await loadCoverage();
  assert.equal(second.pairs, first.pairs, "the same pairs are other objects");
  serve({ ...listed, "/pairs?after=EUR/USD": page([pair("GBP", "CHF")], null, "c") });
  const third = await loadCoverage();
  assert.deepEqual([...third.pairOf.keys()], ["EUR/USD", "EUR/CHF", "GBP/CHF"]);
  assert.equal(lastCoverage(), third);
  assert.equal(third.sources.get("ecb")?.name, "ECB");
  endSession("logged out");
  assert.equal(lastCoverage(), undefined);
});

test("a pair that is missing or suspended is doubted, by the last list if need be", async () => {
  tab.reply = noJson;
  assert.equal(await doubtAbout("XYZ/USD"), undefined, "without any list");
  serve(listed);
  assert.equal(await doubtAbout("EUR/USD"), undefined);
  const missing = "There is no rate for XYZ/USD; the request would still cost a unit.";
  assert.equal(await doubtAbout("XYZ/USD"), missing);
  assert.equal(
    await doubtAbout("USD/CHF"),
    "USD/CHF is suspended; the request would still cost a unit.",
  );
  tab.reply = noJson;
  assert.equal(await doubtAbout("XYZ/USD"), missing);
  tab.reply = () => new Promise(() => undefined);
  const doubted = doubtAbout("XYZ/USD");
  mock.timers.tick(2000);
  assert.equal(await doubted, missing, "the request waits for the newest list");
});

// Effects run when they are due, not with the next picture on a screen.
options.requestAnimationFrame = (callback) => void setImmediate(callback);

/** Uses hooks as a component does. @returns what they return now, and a way to change the input. */
function mount<Input, Result>(use: (input: Input) => Result, input: Input) {
  let result: Result;
  const Probe = ({ now }: { now: Input }) => {
    result = use(now);
    return null;
  };
  // The component shows nothing, so this is all that its place needs.
  const place = { nodeType: 1, childNodes: [], firstChild: null, insertBefore: () => undefined };
  const show = (now: Input | undefined) =>
    render(now === undefined ? null : h(Probe, { now }), place as unknown as Element);
  show(input);
  return { show, current: () => result };
}

/** A page's data, whose responses a test gives in any order. */
function mountLoading() {
  const waiting: PromiseWithResolvers<string>[] = [];
  const page = mount<string, Loading<string>>((input) => {
    const load = () => {
      const next = Promise.withResolvers<string>();
      waiting.push(next);
      return next.promise;
    };
    return useLoading(load, [input]);
  }, "30 days");
  return { ...page, waiting };
}

const unreachable = new ApiError("unreachable", "The service cannot be reached.");

test("an older response that arrives late does not replace the newer one", async () => {
  const { waiting, show, current } = mountLoading();
  await settle();
  show("7 days");
  await settle();
  waiting[1]?.resolve("newer");
  await settle();
  waiting[0]?.resolve("older");
  await settle();
  assert.equal(current().data, "newer");

  void current().reload();
  void current().reload();
  waiting[3]?.resolve("newest");
  await settle();
  waiting[2]?.reject(unreachable);
  await settle();
  assert.deepEqual([current().data, current().error], ["newest", undefined]);
  show(undefined);
});

test("while the service is away the last data stays, and the page asks every two seconds", async () => {
  const { waiting, show, current } = mountLoading();
  await settle();
  waiting[0]?.resolve("data");
  await settle();
  void current().reload();
  waiting[1]?.reject(unreachable);
  await settle();
  assert.deepEqual([current().data, current().error], ["data", unreachable]);

  mock.timers.tick(2000);
  assert.equal(waiting.length, 3);
  waiting[2]?.resolve("new data");
  await settle();
  assert.deepEqual([current().data, current().error], ["new data", undefined]);
  mock.timers.tick(4000);
  assert.equal(waiting.length, 3, "it asks on");
  void current().reload();
  waiting[3]?.reject(new ApiError("internal_error", "-"));
  await settle();
  mock.timers.tick(4000);
  assert.equal(waiting.length, 4, "it asks again after a failure that does not pass");
  show(undefined);
});

test("an action runs once at a time, and keeps its error until it runs again", async () => {
  let runs = 0;
  let next = Promise.withResolvers<void>();
  const { current } = mount(() => {
    const act = () => {
      runs += 1;
      return next.promise;
    };
    return useAction(act);
  }, 0);
  current().run();
  await settle();
  current().run();
  assert.deepEqual([runs, current().isBusy], [1, true]);
  next.reject(unreachable);
  await settle();
  assert.deepEqual([current().isBusy, current().error], [false, unreachable]);
  next = Promise.withResolvers();
  current().run();
  await settle();
  assert.deepEqual([runs, current().error], [2, undefined]);
  next.resolve();
  await settle();
  assert.equal(current().isBusy, false);
});
