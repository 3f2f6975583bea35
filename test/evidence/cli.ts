import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ANY_TIME } from "../../src/import/seed.ts";
import { packContent } from "../../src/provenance/documents/content.ts";
import { figureOf } from "../../src/rates/figures.ts";
import { parseQuotation } from "../../src/rates/rules/rate.ts";
import { createUpdatePolicy } from "../../src/rates/rules/update-policy.ts";
import type { Decimal } from "../../src/shared/decimal.ts";
import { createRefreshSource } from "../../src/sources/refresh.ts";
import { commandTimeouts } from "../../src/storage/settings.ts";
import { openStore } from "../../src/store.ts";
import { BY } from "../contract/suite/database.ts";
import { bodiesOf, publisherOf } from "../sources/publishers/recorded.ts";
import { kursUnchecked } from "../support/command-line.ts";
import { playPublisher, sourceAt } from "../support/fake-publisher.ts";
import { temporaryDirectory } from "../support/process.ts";
import { headersOf } from "../support/rates.ts";
import { TestClock } from "../support/service.ts";
import { newKeyPem } from "../support/signatures.ts";

const rateSources = ["ecb", "nbp", "cbr", "hmrc"];

/** An evidence file as a test reads it. */
export type EvidenceJson = Readonly<Record<string, unknown>> & {
  readonly place: Readonly<Record<string, unknown>>;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  readonly signing_key: {
    readonly kid: string;
    readonly jwk: object;
    readonly note: string;
  } | null;
  readonly signature: string | null;
};

/** A store with recorded documents, a directory for files, and the command line. */
export async function newEvidenceCli() {
  await using starting = new AsyncDisposableStack();
  const directory = starting.use(await temporaryDirectory());
  const dataDirectory = join(directory.path, "data");
  const clock = new TestClock("2026-08-20T16:00:00.000Z");
  const place = { dataDirectory, database: { engine: "sqlite" }, backupDirectory: "" } as const;
  const timeouts = { ...commandTimeouts, makesStore: true };
  const store = starting.use(await openStore(place, timeouts, () => undefined));
  let bodies: readonly (string | Uint8Array)[] = [];
  const publisher = starting.use(await playPublisher((response) => response.end()));
  publisher.behave((response) => {
    const { url = "" } = response.req;
    response.end(bodies[Number(url.split("?").at(-1))]);
  });
  const refreshSource = createRefreshSource({
    ...{ store, clock, headersOf, packContent },
    origin: () => ({ ...BY, at: new Date(clock.nowMs()).toISOString() }),
    policy: createUpdatePolicy({ rateSources, maxRateJump: "0.5" as Decimal }),
    random: () => 0.5,
  });
  const file = (name: string) => join(directory.path, name);
  const keyFile = file("signing-key.pem");
  await writeFile(keyFile, newKeyPem());
  const signed = { SIGNING_KEY_FILE: keyFile };
  /** Runs a command. @param how whether it has the store, and further settings. */
  const run = (
    command: string,
    how: { readonly hasStore?: boolean; readonly env?: Readonly<Record<string, string>> } = {},
  ) => {
    const { hasStore = true, env = {} } = how;
    return kursUnchecked(
      command.split(" ").map((word) => word.replace(/^@/, `${directory.path}/`)),
      { ...(hasStore ? { dataDirectory } : {}), env: { RATE_SOURCES: rateSources.join(), ...env } },
    );
  };
  const started = starting.move();
  return {
    ...{ clock, store, file, run, signed },
    /** Fetches documents of a source, by default the recorded ones. */
    async fetch(key: string, documents: readonly (string | Uint8Array)[] = bodiesOf(key)) {
      bodies = documents;
      clock.advanceMs(60_000);
      const addresses = documents.map((_, index) => `${publisher.address}?${index}`);
      const how = { signal: new AbortController().signal, onlyWhenDue: false };
      const report = await refreshSource(sourceAt(key, addresses, clock), how);
      assert.equal(report?.error, undefined);
    },
    /** Stores a document of the ECB's archive, and every figure in it. */
    async archive(document: string): Promise<void> {
      const receivedAt = new Date(clock.nowMs()).toISOString();
      const body = Buffer.from(document);
      const read = publisherOf("ecb").archive?.parse([{ address: "", body, receivedMs: 0 }]) ?? [];
      const figures = read.map((line) => {
        assert.ok(!("reason" in line));
        const rate = parseQuotation(line, ANY_TIME);
        assert.ok(!("reason" in rate));
        return figureOf({ ...line, ...rate, source: "ecb", place: 0 });
      });
      const stored = await packContent(body);
      const documents = [{ name: "https://ecb.example/hist.xml", receivedAt, stored }];
      await store.figures.addFigures(figures, { source: "ecb", receivedAt, documents }, receivedAt);
    },
    /** Runs a command that makes evidence in the file @out.json. @returns its output and the file. */
    async made(command: string, env: Readonly<Record<string, string>> = {}) {
      const ended = await run(`rates evidence ${command} --out @out.json --force`, { env });
      assert.deepEqual([ended.exitCode, ended.stderr], [0, ""], command);
      const text = readFileSync(file("out.json"), "utf8");
      return { stdout: ended.stdout, text, json: JSON.parse(text) as EvidenceJson };
    },
    /** Runs a command that fails and writes no file. @returns its message. */
    async failure(command: string, exitCode = 1): Promise<string> {
      const ended = await run(`rates evidence ${command} --out @none.json`);
      assert.deepEqual([ended.exitCode, ended.stdout], [exitCode, ""], command);
      assert.ok(!existsSync(file("none.json")), "it wrote a file");
      return ended.stderr;
    },
    /** Verifies @out.json on a machine without a store. @returns its exit code and its lines. */
    async verified(options = "", name = "out.json") {
      const ended = await run(`rates evidence verify @${name}${options}`, { hasStore: false });
      assert.equal(ended.stderr, "");
      return [ended.exitCode, ...ended.stdout.trimEnd().split("\n")] as const;
    },
    /** Writes a file. @returns its name as a command takes it. */
    async write(name: string, content: string | Uint8Array): Promise<string> {
      await writeFile(file(name), content);
      return `@${name}`;
    },
    change(sql: string): void {
      using database = new DatabaseSync(join(dataDirectory, "kurs.db"));
      database.exec(sql);
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export type EvidenceCli = Awaited<ReturnType<typeof newEvidenceCli>>;
