import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { cnbYear, ecbHistory } from "../../../harness/archives.ts";
import { listen } from "../../support/other-server.ts";
import { kurs, Program, temporaryDirectory } from "../../support/process.ts";
import {
  archived,
  BACKFILL,
  isWednesday,
  newArchivedStore,
  rowsOf,
  TO,
  textOf,
  yearAt,
} from "./played.ts";

const ALL = archived.cnb.map(textOf);
test("Ctrl-C ends a backfill with a sentence, and the same command resumes it", async () => {
  await using store = await newArchivedStore();
  await using stopped = await store.startUntilSecondYear();

  stopped.signal("SIGINT");
  const { exitCode, signal, stdout, stderr } = await stopped.end();

  assert.deepEqual([exitCode, signal], [1, null]);
  assert.match(stdout, /^cnb: stored [\d,]+ figures of \d\d dates \(2023-10-01 to 2025-03-31\)/);
  const left = "cnb: stopped: 2024-01-01 to 2025-03-31 is left; the same command resumes it\n";
  assert.equal(stderr, left);
  store.assertStored(ALL.filter((text) => text < "2024"));
  const resumed = await kurs(BACKFILL, store.at);
  assert.equal(resumed.exitCode, 0);
  assert.equal(resumed.stderr, "cnb: 1 range was complete and not fetched again\n");
  const rest = ALL.filter((text) => text >= "2024").length.toLocaleString("en-US");
  assert.match(resumed.stdout, new RegExp(`^cnb: stored ${rest} figures of \\d+ dates .*, 0 unch`));
  assert.deepEqual(store.archives.takeRequests(), [yearAt(2024), yearAt(2025)]);
  store.assertStored(ALL);
});

test("Ctrl-C also ends a backfill whose proxy accepts its connection and never responds", async () => {
  await using directory = await temporaryDirectory();
  const at = { dataDirectory: directory.path };
  await kurs(["migrate"], at);
  const proxy = createServer((socket) => socket.on("error", () => undefined).resume());
  await using listening = await listen(proxy);
  const connected = once(proxy, "connection");
  await using stopped = new Program(BACKFILL, { ...at, env: { HTTPS_PROXY: listening.url } });
  await Promise.race([connected, stopped.ended]);

  stopped.signal("SIGINT");
  const { exitCode, signal, stderr } = await stopped.end();

  assert.deepEqual([exitCode, signal], [1, null]);
  assert.match(stderr, /^cnb: stopped: .* is left; the same command resumes it\n$/);
});

test("the first 20 rejected lines are printed, and the others counted", async () => {
  await using store = await newArchivedStore();
  const wrong = archived.cnb
    .filter(({ date }) => date >= "2025")
    .map((figure, index) => (index < 22 ? { ...figure, rate: "0" } : figure));
  store.archives.interfere(({ search }, response) => {
    if (!search.includes("year=2025")) return false;
    response.end(cnbYear(wrong, "2025"));
    return true;
  });

  const { stdout, stderr } = await kurs(BACKFILL, store.at);

  const [more, ...shown] = stderr.trimEnd().split("\n").reverse();
  assert.equal(more, "cnb: and 2 more lines rejected");
  assert.equal(shown.length, 20);
  for (const line of shown) {
    assert.match(line, /^cnb 2025-01-01 to 2025-03-31: "\w{3}\/CZK": rate "0" is not above zero$/);
  }
  assert.match(stdout, /, 22 rejected/);
});

test("NBP's tables are fetched by quarters; a range without a table is none that failed", async () => {
  await using store = await newArchivedStore();
  const [from, to] = ["2024-12-24", "2025-03-31"];
  // Table B is published on Wednesdays: the first range has none but 25 December.
  const args = ["rates", "backfill", "nbp", "--from", from, "--to", to];

  const { exitCode, stderr } = await kurs(args, store.at);

  assert.equal(exitCode, 0, stderr);
  const tables = (dates: string) =>
    ["A", "B"].map((t) => `/api/exchangerates/tables/${t}/${dates}/?format=json`);
  assert.deepEqual(store.archives.takeRequests(), [
    ...tables("2024-12-24/2024-12-31"),
    ...tables("2025-01-01/2025-03-31"),
  ]);
  const wanted = archived.nbp
    .filter(({ date }) => date >= from && date <= to)
    .filter(({ base, date }) => base <= "M" || isWednesday(date));
  store.assertStored(wanted.map(textOf), "nbp");
});

test("a backfill keeps the document, and records who ran it with the counts", async () => {
  await using store = await newArchivedStore();
  const { at } = store;
  const wanted = archived.ecb.filter(({ date }) => date >= "2024-07-01");
  const dateCount = new Set(wanted.map(({ date }) => date)).size;

  const { stdout } = await kurs(
    ["rates", "backfill", "ecb", "--from", "2024-07-01", "--to", TO, "--json"],
    at,
  );

  const [report] = JSON.parse(stdout);
  assert.deepEqual(report, {
    source: "ecb",
    from: "2024-07-01",
    to: TO,
    stored: wanted.length,
    unchanged: 0,
    rejected: 0,
    held: 0,
    dates: dateCount,
    completed_before: 0,
    failed: [],
    remaining: null,
  });
  const hash = createHash("sha256").update(ecbHistory(archived.ecb)).digest("hex");
  const sql = `SELECT d.name, f.figures FROM publication_documents d
    JOIN (SELECT publication, count(*) AS figures FROM figures GROUP BY publication) f
      USING (publication)
    WHERE d.hash = '${hash}'`;
  const name = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.xml";
  assert.deepEqual({ ...rowsOf(at.dataDirectory, sql)[0] }, { name, figures: wanted.length });
  const events = (await kurs(["audit", "--json"], at)).stdout.trimEnd().split("\n");
  const [begun, event, ...others] = events
    .map((line) => JSON.parse(line))
    .filter(({ action }) => /backfill/.test(action));
  assert.deepEqual([event.actor, event.action], ["operator", "rates.backfilled"]);
  const { completed_before: _, failed: _failed, remaining: _remaining, ...recorded } = report;
  const { dates: _dates, ...details } = recorded;
  assert.deepEqual(event.details, details);
  assert.deepEqual(begun.details, { source: "ecb", from: "2024-07-01", to: TO, started: true });
  assert.deepEqual(others, []);
  const verified = await kurs(["rates", "verify"], at);
  assert.equal(verified.exitCode, 0, verified.stdout + verified.stderr);
});
