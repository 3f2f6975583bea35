import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { cnbYear } from "../../../harness/archives.ts";
import { kurs } from "../../support/process.ts";
import { archived, BACKFILL, newArchivedStore, textOf, yearAt } from "./played.ts";

// A publisher, or a machine between, that sends something else than what is due of past dates.

const untilJune = archived.cnb.filter(({ date }) => date < "2024-06-28");

/** What comes in place of the year 2024, and why that range has failed. */
const responses: readonly (readonly [what: string, body: string, reason: string])[] = [
  [
    "an HTML page",
    "<!doctype html><html><body>Request blocked</body></html>",
    "the response cannot be read: it is an HTML page, not the publisher's document",
  ],
  [
    "no rate",
    '{"rates":[]}',
    "no figure for 2024-01-02 and 251 later dates that its calendar expects; the response has none",
  ],
  [
    "another year's document",
    cnbYear(archived.cnb, "2025"),
    "no figure for 2024-01-02 and 251 later dates that its calendar expects; the response has " +
      "figures of 2025-01-02 to 2025-03-31",
  ],
  [
    "half of the year",
    cnbYear(untilJune, "2024"),
    "no figure for 2024-06-28 and 127 later dates that its calendar expects; the response has " +
      "figures of 2024-01-02 to 2024-06-27",
  ],
];

suite("a past range of a backfill is complete only with what was due", { concurrency: 2 }, () => {
  for (const [what, body, reason] of responses) {
    test(`and not by ${what}: it has failed, and is fetched again`, async () => {
      await using store = await newArchivedStore();
      store.archives.interfere(({ search }, response) => {
        if (!search.includes("year=2024")) return false;
        response.end(body);
        return true;
      });

      const failed = await kurs(BACKFILL, store.at);

      assert.equal(
        failed.stderr,
        `cnb 2024-01-01 to 2024-12-31: failed: ${reason}\n` +
          "cnb: 1 range failed; the same command resumes it\n",
      );
      assert.equal(failed.exitCode, 1);
      const isStored = (text: string) =>
        !text.startsWith("2024") || (what === "half of the year" && text < "2024-06-28");
      store.assertStored(archived.cnb.map(textOf).filter(isStored));
      store.archives.takeRequests();
      store.archives.interfere(() => false);
      const again = await kurs(BACKFILL, store.at);
      assert.equal(again.exitCode, 0, again.stderr);
      assert.deepEqual(store.archives.takeRequests(), [yearAt(2024), yearAt(2025)]);
      store.assertStored(archived.cnb.map(textOf));
    });
  }

  test("and not by 404 for everything, after which it gives up", async () => {
    await using store = await newArchivedStore();
    store.archives.interfere((_address, response) => {
      response.writeHead(404).end("<html>Request blocked</html>");
      return true;
    });

    const { exitCode, stderr } = await kurs(
      ["rates", "backfill", "nbp", "--from", "2023-10-01", "--to", "2025-03-31"],
      store.at,
    );

    assert.equal(exitCode, 1);
    assert.match(
      stderr,
      /^nbp 2023-10-01 to 2023-12-31: failed: no figure for 2023-10-02 and \d+ later dates /,
    );
    assert.match(
      stderr,
      /\nnbp: gave up after several failures in a row: 2024-07-01 to 2025-03-31 /,
    );
    assert.deepEqual(store.stored("nbp"), []);
  });
});

suite("only what the same command completed is skipped", { concurrency: 2 }, () => {
  test("an unfinished wide backfill keeps no narrower one from fetching", async () => {
    await using store = await newArchivedStore();
    store.archives.interfere(({ search }, response) => {
      if (!search.includes("year=2025")) return false;
      response.writeHead(500).end();
      return true;
    });
    assert.equal((await kurs(BACKFILL, store.at)).exitCode, 1);
    store.archives.interfere(() => false);
    store.archives.takeRequests();
    const narrow = ["rates", "backfill", "cnb", "--from", "2024-03-01", "--to", "2024-03-28"];

    for (const run of ["first", "second"]) {
      const { exitCode, stderr } = await kurs(narrow, store.at);
      assert.deepEqual([exitCode, stderr], [0, ""], run);
      assert.deepEqual(store.archives.takeRequests(), [yearAt(2024)], run);
    }
    const wide = await kurs(BACKFILL, store.at);
    assert.equal(wide.stderr, "cnb: 2 ranges were complete and not fetched again\n");
    assert.deepEqual(store.archives.takeRequests(), [yearAt(2025)]);
    store.assertStored(archived.cnb.map(textOf));
  });
});
