import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Decimal } from "../../src/platform/shared/decimal.ts";
import { commandTimeouts } from "../../src/platform/storage/settings.ts";
import { figureOf } from "../../src/rates/served/figures.ts";
import { ANY_TIME, parseQuotation } from "../../src/rates/served/rules/rate.ts";
import { createUpdatePolicy } from "../../src/rates/served/rules/update-policy.ts";
import { packContent } from "../../src/rates/sources/fetching/content.ts";
import { createRefreshSource, type RefreshReport } from "../../src/rates/sources/refresh.ts";
import { BY } from "../contract/suite/origins.ts";
import { addressesOf, publisherOf } from "../rates/sources/publishers/recorded.ts";
import { kursUnchecked } from "./command-line.ts";
import { playPublisher, sourceAt } from "./fake-publisher.ts";
import { temporaryDirectory } from "./process.ts";
import { headersOf } from "./rates.ts";
import { TestClock } from "./service.ts";
import { openStore } from "./stores.ts";

/** A store on SQLite, a publisher that it can be told to fetch, and the command line on it. */
export async function newRateCli(rateSources: readonly string[] = ["ecb", "cnb", "inforeuro"]) {
  await using starting = new AsyncDisposableStack();
  const directory = starting.use(await temporaryDirectory());
  const dataDirectory = join(directory.path, "data");
  const clock = new TestClock("2026-03-30T16:00:00.000Z");
  const place = { dataDirectory, database: { engine: "sqlite" }, backupDirectory: "" } as const;
  const timeouts = { ...commandTimeouts, makesStore: true };
  const store = starting.use(await openStore(place, timeouts, () => undefined));
  const publisher = starting.use(await playPublisher((response) => void response.end()));
  const refreshSource = createRefreshSource({
    ...{ store, clock, headersOf, packContent, random: () => 0.5 },
    origin: () => ({ ...BY, at: new Date(clock.nowMs()).toISOString() }),
    policy: createUpdatePolicy({ rateSources, maxRateJump: "0.5" as Decimal }),
  });
  // Not checked for secrets: a document's SHA-256 looks like one.
  const run = (
    command: string,
    { env = {}, input }: { env?: Readonly<Record<string, string>>; input?: string } = {},
  ) =>
    kursUnchecked(command.split(" "), {
      ...{ dataDirectory, env: { RATE_SOURCES: rateSources.join(), ...env } },
      ...(input === undefined ? {} : { input }),
    });
  const started = starting.move();
  return {
    ...{ directory: directory.path, dataDirectory, clock, store, run },
    requests: publisher.requests,
    /** Fetches a source's documents a minute later, one from each address, or a status. */
    async refresh(
      key: string,
      documents: readonly (string | Uint8Array | number)[],
      queries: readonly string[] = documents.map((_, index) => `?${index}`),
      failure: RegExp | undefined = undefined,
    ): Promise<RefreshReport> {
      publisher.behave((response) => {
        const url = decodeURIComponent(response.req.url ?? "");
        const document = documents[queries.findIndex((query) => url.endsWith(query))];
        const date = new Date(clock.nowMs()).toUTCString();
        if (typeof document === "number") response.writeHead(document).end();
        else response.writeHead(200, { etag: '"1"', date }).end(document);
      });
      clock.advanceMs(60_000);
      const addresses = queries.map((query) => `${publisher.address}${query}`);
      const how = { signal: new AbortController().signal, onlyWhenDue: false };
      const played = sourceAt(key, addresses, clock);
      const genuine = addressesOf(key, clock.nowMs());
      const source: typeof played = {
        ...played,
        // As the publisher's own, which its figures are later compared with.
        async fetch(...asked) {
          const fetched = await played.fetch(...asked);
          if (fetched === "unchanged") return fetched;
          const named = fetched.documents.map((document, place) => {
            const [query = "", address = ""] = [queries[place], genuine[place]];
            const isOwn = /^\?\d+$/.test(query) || address.endsWith(query);
            return isOwn && address !== "" ? { ...document, address } : document;
          });
          return { ...fetched, documents: named };
        },
      };
      const report = await refreshSource(source, how);
      assert.ok(report !== undefined);
      assert.match(report.error ?? "none", failure ?? /^none$/);
      return report;
    },
    /** Stores a document of an archive and its figures of some dates, as a backfill does. */
    async archive(
      source: string,
      document: string | Uint8Array,
      isStored: (date: string) => boolean = () => true,
    ): Promise<void> {
      const receivedAt = new Date(clock.nowMs()).toISOString();
      const body = Buffer.from(document);
      const { archive, parse } = publisherOf(source);
      const response = { address: "", body, receivedMs: clock.nowMs() };
      const figures = parse([response]).flatMap((line) => {
        assert.ok(!("reason" in line));
        const rate = parseQuotation(line, ANY_TIME);
        if ("reason" in rate) return [];
        const figure = figureOf({ ...line, ...rate, source, place: 0 });
        return isStored(figure.date) ? [figure] : [];
      });
      const stored = await packContent(body);
      const dates = figures.map((figure) => figure.date).sort();
      const range = { from: dates[0] ?? "", to: dates.at(-1) ?? "" };
      const ownMs = Date.parse(`${range.to}T12:00:00Z`);
      const name = archive?.requests(range, "")[0]?.address ?? addressesOf(source, ownMs)[0] ?? "";
      const documents = [{ name, receivedAt, stored }];
      await store.figures.addFigures(figures, { source, receivedAt, documents }, receivedAt);
    },
    /** Runs a command that succeeds. @returns its stdout. */
    async output(command: string): Promise<string> {
      const ended = await run(command);
      assert.deepEqual([ended.exitCode, ended.stderr], [0, ""], command);
      return ended.stdout;
    },
    /** Runs a command that fails. @returns its message. */
    async failure(command: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
      const { exitCode, stdout, stderr } = await run(command, { env });
      assert.deepEqual([exitCode, stdout], [1, ""], command);
      return stderr;
    },
    /** Imports a file with these lines. @returns its path. */
    async import(lines: string, options = ""): Promise<string> {
      const file = join(directory.path, "rates.csv");
      await writeFile(file, `base,quote,rate,as_of\n${lines}\n`);
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

export type RateCli = Awaited<ReturnType<typeof newRateCli>>;
