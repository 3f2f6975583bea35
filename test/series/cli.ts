import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ANY_TIME } from "../../src/import/seed.ts";
import { packContent } from "../../src/provenance/documents/content.ts";
import { figureOf } from "../../src/rates/figures.ts";
import { parseQuotation } from "../../src/rates/rules/rate.ts";
import { createUpdatePolicy } from "../../src/rates/rules/update-policy.ts";
import type { Decimal } from "../../src/shared/decimal.ts";
import { createRefreshSource, type RefreshReport } from "../../src/sources/refresh.ts";
import { commandTimeouts } from "../../src/storage/settings.ts";
import { openStore } from "../../src/store.ts";
import { BY } from "../contract/suite/database.ts";
import { publisherOf } from "../sources/publishers/recorded.ts";
import { kursUnchecked } from "../support/command-line.ts";
import { body, cnbDay, ecbDay, playPublisher, sourceAt } from "../support/fake-publisher.ts";
import { temporaryDirectory } from "../support/process.ts";
import { headersOf } from "../support/rates.ts";
import { TestClock } from "../support/service.ts";

const rateSources = ["ecb", "cnb", "inforeuro"];

/** A store on SQLite, publishers that it can be told to fetch, and the command line. */
export async function newSeriesCli() {
  await using starting = new AsyncDisposableStack();
  const directory = starting.use(await temporaryDirectory());
  const dataDirectory = join(directory.path, "data");
  const clock = new TestClock("2026-03-30T16:00:00.000Z");
  const place = { dataDirectory, database: { engine: "sqlite" }, backupDirectory: "" } as const;
  const timeouts = { ...commandTimeouts, makesStore: true };
  const store = starting.use(await openStore(place, timeouts, () => undefined));
  const publisher = starting.use(await playPublisher(body("")));
  const refreshSource = createRefreshSource({
    ...{ store, clock, headersOf, packContent },
    origin: () => ({ ...BY, at: new Date(clock.nowMs()).toISOString() }),
    policy: createUpdatePolicy({ rateSources, maxRateJump: "0.5" as Decimal }),
    random: () => 0.5,
  });
  const refresh = async (key: string, document: string, query = ""): Promise<RefreshReport> => {
    publisher.behave(body(document, { etag: '"1"' }));
    clock.advanceMs(60_000);
    const source = sourceAt(key, [`${publisher.address}${query}`], clock);
    const how = { signal: new AbortController().signal, onlyWhenDue: false };
    const report = await refreshSource(source, how);
    assert.equal(report?.error, undefined);
    assert.ok(report !== undefined);
    return report;
  };
  // Not disposed of, which would take a document's SHA-256 in the output for a secret.
  const run = (command: string, env: Readonly<Record<string, string>> = {}) =>
    kursUnchecked(command.split(" "), {
      dataDirectory,
      env: { RATE_SOURCES: rateSources.join(), ...env },
    });
  const started = starting.move();
  return {
    ...{ dataDirectory, clock, requests: publisher.requests, sources: store.sources },
    /** Fetches the ECB's table of a date, or CNB's. */
    ecb: (date: string, czk: string) => refresh("ecb", ecbDay(date, { USD: "1.1476", CZK: czk })),
    cnb: (date: string, eur: string) => refresh("cnb", cnbDay(date, { EUR: eur, USD: "21.27" })),
    /** Fetches InforEuro's table of a month such as 2026-03. */
    inforeuro: (month: string, usd: string) =>
      refresh(
        "inforeuro",
        `[{"isoA3Code":"USD","value":${usd}}]`,
        `?year=${month.slice(0, 4)}&month=${Number(month.slice(5))}`,
      ),
    /** Stores a document of the ECB's archive, and every figure in it. */
    async archive(document: string): Promise<void> {
      const receivedAt = new Date(clock.nowMs()).toISOString();
      const content = Buffer.from(document);
      const lines =
        publisherOf("ecb").archive?.parse([{ address: "", body: content, receivedMs: 0 }]) ?? [];
      const figures = lines.map((line) => {
        assert.ok(!("reason" in line));
        const rate = parseQuotation(line, ANY_TIME);
        assert.ok(!("reason" in rate));
        return figureOf({ ...line, ...rate, source: "ecb", place: 0 });
      });
      const stored = await packContent(content);
      const documents = [{ name: "eurofxref-hist.xml", receivedAt, stored }];
      await store.figures.addFigures(figures, { source: "ecb", receivedAt, documents }, receivedAt);
    },
    run,
    /** Runs a command that succeeds. @returns its stdout. */
    async output(command: string): Promise<string> {
      const ended = await run(command);
      assert.deepEqual([ended.exitCode, ended.stderr], [0, ""], command);
      return ended.stdout;
    },
    /** Runs a command that fails. @returns its message. */
    async failure(command: string, env?: Readonly<Record<string, string>>): Promise<string> {
      const { exitCode, stdout, stderr } = await run(command, env);
      assert.deepEqual([exitCode, stdout], [1, ""], command);
      return stderr;
    },
    /** Imports a file with one line. @returns its path. */
    async import(line: string, options = ""): Promise<string> {
      const file = join(directory.path, "rates.csv");
      await writeFile(file, `base,quote,rate,as_of\n${line}\n`);
      await run(`rates import ${file}${options}`);
      return file;
    },
    change(sql: string): void {
      using database = new DatabaseSync(join(dataDirectory, "kurs.db"));
      database.exec(sql);
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export type SeriesCli = Awaited<ReturnType<typeof newSeriesCli>>;

/** EUR/CZK of one day from the ECB, which owns it, and from CNB, and of the day before imported. */
export async function threeSources() {
  const cli = await newSeriesCli();
  await cli.ecb("2026-03-13", "24.400");
  await cli.cnb("2026-03-13", "24.410");
  const file = await cli.import("EUR,CZK,24.39,2026-03-12T15:00:00Z");
  return { ...cli, file };
}
