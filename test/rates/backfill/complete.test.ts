import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { cnbYear } from "../../../harness/archives.ts";
import { kurs } from "../../support/process.ts";
import { archived, BACKFILL, newArchivedStore, textOf, yearAt } from "./played.ts";

// A publisher, or a machine between, that sends something else than what is due of past dates.

suite("a past range of a backfill is complete only with what was due", { concurrency: 2 }, () => {
  const untilJune = archived.cnb.filter(({ date }) => date < "2024-06-28");
  const reason =
    "no figure for 2024-06-28 and 127 later dates that its calendar expects; the response has " +
    "figures of 2024-01-02 to 2024-06-27";
  for (const [what, status, reasonOfFailure, stored] of [
    ["half of the year", 200, reason, "2024-06-28"],
    ["an error", 500, "api.cnb.cz responded with 500", "2024-01-01"],
  ] as const) {
    test(`and not by ${what}: it is named and fetched again, and the others are stored`, async () => {
      await using store = await newArchivedStore();
      store.archives.interfere(({ search }, response) => {
        if (!search.includes("year=2024")) return false;
        response.writeHead(status).end(cnbYear(untilJune, "2024"));
        return true;
      });

      const failed = await kurs(BACKFILL, store.at);

      assert.equal(
        failed.stderr,
        `cnb 2024-01-01 to 2024-12-31: failed: ${reasonOfFailure}\n` +
          "cnb: 1 range failed; the same command resumes it\n",
      );
      assert.equal(failed.exitCode, 1);
      const isStored = (text: string) => !text.startsWith("2024") || text < stored;
      store.assertStored(archived.cnb.map(textOf).filter(isStored));
      store.archives.takeRequests();
      store.archives.interfere(() => false);
      const again = await kurs(BACKFILL, store.at);
      assert.equal(again.exitCode, 0, again.stderr);
      // The last range of a backfill may get figures later.
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
