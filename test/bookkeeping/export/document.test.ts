import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { commandTimeouts } from "../../../src/platform/storage/settings.ts";
import { packContent } from "../../../src/rates/sources/fetching/content.ts";
import { newRate } from "../../contract/suite/rates-stored.ts";
import { newSeriesCli, type SeriesCli } from "../../rates/series/cli.ts";
import { ecbDay } from "../../support/fake-publisher.ts";
import { kurs } from "../../support/process.ts";
import { openStore } from "../../support/stores.ts";

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");

/** No text: windows-1251, and the controls that a terminal must not get. */
const BYTES = Uint8Array.from({ length: 256 }, (_, index) => 255 - index);

/** Stores a publication of cbr with a figure of a date. */
async function addPublication(
  { dataDirectory }: SeriesCli,
  date: string,
  rate: string,
  ...contents: readonly Uint8Array[]
): Promise<void> {
  const place = { dataDirectory, database: { engine: "sqlite" }, backupDirectory: "" } as const;
  await using store = await openStore(place, { ...commandTimeouts, makesStore: false }, () => {});
  const receivedAt = `${date}T12:00:00.000Z`;
  const documents = contents.map(async (content, index) => {
    const name = `https://cbr.example/${index + 1}`;
    return { name, receivedAt, stored: await packContent(content) };
  });
  const publication = { source: "cbr", receivedAt, documents: await Promise.all(documents) };
  const figure = newRate("EUR/RUB", rate, `${date}T09:00:00Z`, "cbr");
  const dated = { ...figure, date, kind: "middle", validUntil: undefined, place: 0 } as const;
  await store.figures.addFigures([dated], publication, receivedAt);
}

suite("kurs rates document", { concurrency: 4 }, () => {
  test("writes the newest document, or the one that states the figures of a date", async () => {
    await using cli = await newSeriesCli();
    await cli.ecb("2026-03-12", "24.350");
    await cli.ecb("2026-03-13", "24.400");
    const day = (date: string, czk: string) => ecbDay(date, { USD: "1.1476", CZK: czk });

    assert.equal(await cli.output("rates document ecb"), day("2026-03-13", "24.400"));
    assert.equal(
      await cli.output("rates document ecb --date 2026-03-12"),
      day("2026-03-12", "24.350"),
    );
    await cli.ecb("2026-03-12", "24.360");
    const { stdout, stderr } = await cli.run("rates document ecb --date 2026-03-12");
    assert.equal(stdout, day("2026-03-12", "24.360"));
    assert.equal(
      stderr,
      "figures of 2026-03-12 came from 2 publications: this is the newest, --list shows all.\n",
    );
  });

  test("writes every byte as the publisher sent it", async () => {
    await using cli = await newSeriesCli();
    await addPublication(cli, "2026-03-13", "95.5", BYTES);
    const { dataDirectory } = cli;
    const file = join(dataDirectory, "document");

    const ended = await kurs(["rates", "document", "cbr"], {
      dataDirectory,
      through: ["/bin/sh", "-c", `exec "$@" > ${file}`, "sh"],
    });

    assert.deepEqual([ended.exitCode, ended.stderr], [0, ""]);
    assert.deepEqual(new Uint8Array(await readFile(file)), BYTES);
  });

  test("of a publication with several documents needs a number", async () => {
    await using cli = await newSeriesCli();
    await addPublication(cli, "2026-03-13", "95.5", Buffer.from("one"), Buffer.from("two"));

    const { exitCode, stdout, stderr } = await cli.run("rates document cbr");

    assert.deepEqual([exitCode, stdout], [2, ""]);
    assert.equal(
      stderr,
      "kurs: the newest publication of cbr, received 2026-03-13T12:00:00.000Z, has 2 documents: " +
        "pass --number 1 (https://cbr.example/1) or --number 2 (https://cbr.example/2)\n",
    );
    assert.equal(await cli.output("rates document cbr --number 2"), "two");
    assert.equal((await cli.run("rates document cbr --number 3")).exitCode, 2);
    const zeroth = await cli.run("rates document cbr --number 0");
    assert.match(zeroth.stderr, /--number "0": must be a whole/);
  });

  test("lists the stored documents of a source, and those of a date", async () => {
    await using cli = await newSeriesCli();
    await addPublication(cli, "2026-03-12", "95.1", Buffer.from("zero"));
    await addPublication(cli, "2026-03-13", "95.5", Buffer.from("one"), Buffer.from("three"));

    const table = await cli.output("rates document cbr --list");

    assert.deepEqual(table.replaceAll(/ +/g, " ").split("\n"), [
      "RECEIVED NUMBER BYTES SHA-256 NAME",
      `2026-03-12T12:00:00.000Z 1 4 ${sha256("zero")} https://cbr.example/1`,
      `2026-03-13T12:00:00.000Z 1 3 ${sha256("one")} https://cbr.example/1`,
      `2026-03-13T12:00:00.000Z 2 5 ${sha256("three")} https://cbr.example/2`,
      "",
    ]);
    const json = JSON.parse(await cli.output("rates document cbr --list --json --date 2026-03-12"));
    assert.deepEqual(json, [
      {
        publication: 1,
        number: 1,
        name: "https://cbr.example/1",
        received_at: "2026-03-12T12:00:00.000Z",
        bytes: 4,
        sha256: sha256("zero"),
      },
    ]);
    assert.equal(await cli.output("rates document nbp --list --json"), "[]\n");
    const none = await cli.run("rates document nbp --list");
    assert.match(none.stderr, /^no document of nbp is stored/);
  });

  test("is a failure when its bytes are not those that were stored", async () => {
    await using cli = await newSeriesCli();
    await cli.ecb("2026-03-13", "24.400");
    const other = zstdCompressSync(Buffer.from("forged")).toString("hex");
    cli.change(`UPDATE documents SET content = x'${other}'`);

    const message = await cli.failure("rates document ecb");

    assert.match(
      message,
      /^kurs: the document http\S+, received \S+Z, is damaged: its bytes have another SHA-256\. See kurs rates verify\n$/,
    );
  });

  test("is a failure where none is stored, and tells why", async () => {
    await using cli = await newSeriesCli();
    await cli.ecb("2026-03-13", "24.400");
    const file = await cli.import("EUR,ISK,140.1,2026-03-13T09:00:00Z");

    assert.match(
      await cli.failure("rates document nbp"),
      /^kurs: no document of nbp is stored: kurs rates fetch nbp fetches one; .* kurs rates document snapshot\n$/,
    );
    assert.match(
      await cli.failure("rates document ecb --date 2026-03-14"),
      /^kurs: no document with figures of ecb of 2026-03-14 is stored: kurs rates document ecb --list shows/,
    );
    const digest = sha256(await readFile(file));
    assert.equal(
      await cli.failure("rates document import"),
      `kurs: rates.csv, SHA-256 ${digest}: imported files are not stored, so keep them yourself\n`,
    );
    const listed = await cli.output("rates document import --list");
    assert.match(listed, new RegExp(` ${digest} +rates\\.csv\n$`));
    const { exitCode, stderr } = await cli.run("rates document ecb --json");
    assert.equal(exitCode, 2);
    assert.match(stderr, /--json is for --list/);
  });
});
