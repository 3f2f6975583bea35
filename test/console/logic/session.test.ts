import "./tab.ts";
import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { lastUsage, readUsage } from "../../../console/src/api/usage.ts";
import { deletedEmail } from "../../../console/src/deleted-account.ts";
import { figuresRead, keepFigure } from "../../../console/src/figures.ts";
import { keepKey, keptKey, keyInHand } from "../../../console/src/key-in-hand.ts";
import * as router from "../../../console/src/router.ts";
import * as own from "../../../console/src/session.ts";
import { eventually } from "../../support/mails.ts";
import { settle, tab } from "./tab.ts";

// What a tab keeps of a log-in, and what it tells the other tabs: functions and signals.

const NOW = "2026-11-21T12:00:00.000Z";
const DAY_MS = 86_400_000;
const at = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString();

const sessionOf = (token: string, lastsMs = DAY_MS): own.Session => {
  return { email: `${token}@example.org`, token, expiresAt: at(lastsMs) };
};

const tokenIn = ({ session }: typeof own) => session.value?.token;

mock.timers.enable({ apis: ["Date", "setTimeout"], now: Date.parse(NOW) });
beforeEach(async () => {
  own.endSession("logged out");
  own.sessionEnd.value = undefined;
  mock.timers.setTime(Date.parse(NOW));
  await settle();
  tab.sent.length = 0;
});

/** Another tab of the same browser, or this one after a reload: the module once more. */
const openTab = async (name: string) =>
  (await import(`../../../console/src/session.ts?${name}`)) as typeof own;

const until = (what: string, isSo: () => boolean) => eventually(what, () => isSo() || undefined);

test("a session ends when it is over, without a request, and leaves nothing in the tab", () => {
  own.beginSession(sessionOf("ada"));
  assert.match(sessionStorage.getItem("kurs.session") ?? "", /"token":"ada"/);

  mock.timers.tick(DAY_MS - 1);
  assert.equal(tokenIn(own), "ada");
  mock.timers.tick(1);

  assert.deepEqual([tokenIn(own), own.sessionEnd.value], [undefined, "expired"]);
  assert.equal(sessionStorage.length, 0);
  assert.deepEqual(tab.sent, []);
});

test("a device that slept through a session's end ends it when its page is shown again", () => {
  own.beginSession(sessionOf("ada", 60 * DAY_MS));
  mock.timers.tick(30 * DAY_MS);
  tab.page.dispatchEvent(new Event("visibilitychange"));
  assert.equal(tokenIn(own), "ada", "setTimeout's longest delay has ended it");

  mock.timers.setTime(Date.parse(at(60 * DAY_MS)));
  tab.page.dispatchEvent(new Event("visibilitychange"));

  assert.equal(own.sessionEnd.value, "expired");
});

test("a reload restores the session that is not over, and a page out of the browser's memory reloads", async () => {
  own.beginSession(sessionOf("ada"));
  assert.equal(tokenIn(await openTab("reloaded")), "ada");
  mock.timers.setTime(Date.parse(at(DAY_MS)));
  assert.equal(tokenIn(await openTab("too-late")), undefined);

  tab.fire("pageshow", { persisted: false });
  assert.equal(tab.reloads, 0);
  tab.fire("pageshow", { persisted: true });
  assert.ok(tab.reloads > 0);
});

test("tabs share a log-in: a new one asks for it, another's begins it, and a log-out ends it in all", async () => {
  sessionStorage.clear();
  const [second, third] = [await openTab("second"), await openTab("third")];
  own.beginSession(sessionOf("ada"));
  await until("the log-in of another tab", () => tokenIn(third) === "ada");
  sessionStorage.clear();
  const late = await openTab("late");
  const asked = late.askOtherTabs();
  await until("the reply of another tab", () => tokenIn(late) === "ada");
  await asked;

  second.endSession("logged out");

  for (const { session, sessionEnd } of [own, third, late])
    await until("the end", () => session.value === undefined && sessionEnd.value === "logged out");
  const alone = late.askOtherTabs();
  mock.timers.tick(100);
  await alone;
  assert.equal(tokenIn(late), undefined);
});

test("a tab keeps its account, whatever another's log-in and log-out say", async () => {
  const other = await openTab("other");
  const channel = new BroadcastChannel("kurs.session /kurs/");
  own.beginSession(sessionOf("ada"));
  await until("ada", () => tokenIn(other) === "ada");
  for (const message of [
    { kind: "begin", session: sessionOf("bob") },
    { kind: "end", why: "logged out", token: "bob" },
  ])
    channel.postMessage(message);
  own.endSession("logged out", "bob");
  other.endSession("expired", "carol");

  // The last message shows that the others have arrived.
  channel.postMessage({ kind: "end", why: "expired", token: "ada" });
  await until("the end", () => tokenIn(other) === undefined && tokenIn(own) === undefined);

  assert.equal(own.sessionEnd.value, "expired", "bob's end was taken for ada's");
});

test("a tab takes no session that has ended, is over, or is another service's", async () => {
  const channel = new BroadcastChannel("kurs.session /kurs/");
  const [elsewhere, witness] = [1, 2].map(() => new BroadcastChannel("kurs.session /"));
  const taken: unknown[] = [];
  const stop = own.session.subscribe((session) => taken.push(session?.token));
  own.beginSession(sessionOf("dora"));
  own.endSession("logged out");

  const arrived = new Promise((done) => witness?.addEventListener("message", done));
  elsewhere?.postMessage({ kind: "begin", session: sessionOf("neighbour") });
  await arrived;
  for (const session of [sessionOf("dora"), sessionOf("old", 0), sessionOf("emil")])
    channel.postMessage({ kind: "begin", session });

  await until("a session that is valid", () => tokenIn(own) === "emil");
  stop();
  assert.deepEqual(taken, [undefined, "dora", undefined, "emil"]);
});

const key = { id: "1", name: "billing", api_key: "svc_live_1", key_prefix: "svc", created_at: NOW };
const stored = () => sessionStorage.getItem("kurs.key");

test("with the session ends what its pages know: keys, figures and usage", async () => {
  own.beginSession(sessionOf("ada"));
  keyInHand.value = key;
  keepKey(key);
  const rate = { base: "EUR", quote: "USD", rate: "1.1", as_of: NOW, type: "direct" } as const;
  keepFigure(rate as never);
  assert.equal(figuresRead.value.get("EUR/USD")?.rate, "1.1");
  tab.reply = () => Response.json({ plan: "free" });
  await readUsage();
  assert.equal(lastUsage.value?.plan, "free");

  own.endSession("logged out");
  keepFigure(rate as never);

  assert.deepEqual([keyInHand.value, keptKey.value, stored()], [undefined, undefined, null]);
  assert.deepEqual([figuresRead.value.size, lastUsage.value], [0, undefined]);
  deletedEmail.value = "ada@example.org";
  own.beginSession(sessionOf("bob"));
  assert.equal(deletedEmail.value, undefined, "the notice of the deleted account");
});

test("usage that arrives after a change of accounts is not shown", async () => {
  own.beginSession(sessionOf("ada"));
  const { promise, resolve } = Promise.withResolvers<Response>();
  tab.reply = () => promise;
  const reading = readUsage();
  own.endSession("logged out");
  own.beginSession(sessionOf("bob"));
  resolve(Response.json({ plan: "ada's" }));
  await reading;
  assert.equal(lastUsage.value, undefined);
});

test("pages have addresses under the service's path, with their parameters", () => {
  const isAt = (path: string) => assert.equal(tab.address.pathname + tab.address.search, path);
  tab.visited = 1;
  tab.open("/kurs/usage?days=7&key=1");
  assert.deepEqual([router.page.value, router.parameter("days")], ["/usage", "7"]);
  assert.equal(router.wayBack(), "?next=/usage&days=7&key=1");
  router.setParameters({ key: undefined, days: "90" });
  isAt("/kurs/usage?days=90");
  router.setParameters({ days: undefined });
  isAt("/kurs/usage");
  router.go("/login", { replace: true });
  assert.equal(tab.visited, 1, '"back" leads through every choice');
  router.go("/source", { search: "?key=ecb" });
  isAt("/kurs/source?key=ecb");
  assert.equal(tab.visited, 2);
  assert.deepEqual([router.page.value, router.parameter("key")], ["/source", "ecb"]);
  tab.open("/kurs/keys/1");
  assert.equal(router.page.value, undefined, "an unknown path has no page");
});

test("the secret in a mail's link is taken once, out of the address and the history too", () => {
  tab.visited = 1;
  tab.open("/kurs/reset#token=3f3f");
  assert.deepEqual([router.takeToken(), router.takeToken()], ["3f3f", undefined]);
  tab.open("/kurs/signup#invitation=3f&email=ada%2Bkurs%40example.org");
  assert.equal(router.takeToken(), undefined);
  assert.deepEqual(router.takeInvitation(), { token: "3f", email: "ada+kurs@example.org" });
  assert.deepEqual([router.takeInvitation(), tab.address.hash], [undefined, ""]);
  tab.open("/kurs/signup#invitation=3f");
  assert.deepEqual(router.takeInvitation(), { token: "3f", email: "" });
  assert.equal(tab.visited, 1);
});

for (const [mail, texts] of [
  ["files", [/no mail server.+ask its operator/, /no mail server.+ask/i, /ask the operator/]],
  ["server", [/^We have sent a mail/, /^We have sent a mail/, /^a mail is on its way/]],
] as const) {
  test(`mails in a ${mail}: the console says where they are`, async () => {
    tab.page.metas.mail = mail;
    const path = `../../../console/src/mail.ts?${mail}`;
    const words: typeof import("../../../console/src/mail.ts") = await import(path);
    const said = [words.howToConfirm("ada"), words.howToConfirmFirst("ada"), words.whereMailIs];
    for (const [index, text] of texts.entries()) assert.match(said[index] ?? "", text);
  });
}
