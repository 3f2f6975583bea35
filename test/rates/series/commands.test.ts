import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { threeSources } from "./cli.ts";

/** The cells of a table, row by row. */
const rowsOf = (table: string) =>
  table
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/ +/));

suite("the series of a pair", { concurrency: 4 }, () => {
  test("are listed with the newest figure of each, and which of them is served", async () => {
    await using cli = await threeSources();

    const listed = await cli.output("rates list eur czk");

    assert.match(
      listed,
      /^SOURCE {2}KIND {4}DATE {10}RATE {2}AS OF {17}REVISION {2}DOCUMENT {6}STATE\n/,
    );
    assert.deepEqual(
      rowsOf(listed).map((cells) => cells.toSpliced(6, 1)),
      [
        ["cnb", "middle", "2026-03-13", "24.410", "2026-03-13T13:30:00Z", "1"],
        ["ecb", "middle", "2026-03-13", "24.400", "2026-03-13T15:00:00Z", "1", "served"],
        ["import", "middle", "2026-03-12", "24.39", "2026-03-12T15:00:00Z", "1"],
      ],
    );
    const json = JSON.parse(await cli.output("rates list EUR CZK --json"));
    const shown = json.map(
      ({ source, rate, state, valid_until: until }: Record<string, unknown>) => {
        return `${source} ${rate} ${state} ${until}`;
      },
    );
    assert.deepEqual(shown, ["cnb 24.410  null", "ecb 24.400 served null", "import 24.39  null"]);
    assert.match(json[0].document, /^[0-9a-f]{64}$/);
    // The list without a quote has what is served, as before.
    assert.match(await cli.output("rates list EUR"), /^EUR\/CZK {2}24\.400 .* ecb /m);
  });

  test("show a held figure, an amendment, a suspension and a deletion", async () => {
    await using cli = await threeSources();
    await cli.ecb("2026-03-16", "99");
    await cli.cnb("2026-03-13", "24.420");

    const listed = await cli.output("rates list EUR CZK");

    const [cnb, ecb] = rowsOf(listed);
    assert.deepEqual([cnb?.[3], cnb?.[5]], ["24.420", "2"]);
    assert.deepEqual([ecb?.[3], ecb?.at(-1)], ["99", "held"]);
    assert.match(listed, /\nEUR\/CZK is served at 24\.400 as of 2026-03-13T15:00:00Z from ecb\n$/);

    await cli.output("rates release EUR CZK");
    await cli.output("rates suspend EUR CZK");
    assert.equal(rowsOf(await cli.output("rates list EUR CZK"))[1]?.at(-1), "suspended");
    await cli.run("rates delete EUR CZK");
    assert.match(
      await cli.output("rates list EUR CZK"),
      /\nEUR\/CZK is not served: it is not stored\n$/,
    );
  });

  test("of a pair without one are a failure", async () => {
    await using cli = await threeSources();
    const none = "kurs: no source has a figure of CZK/EUR: see kurs rates list\n";
    assert.equal(await cli.failure("rates list CZK EUR"), none);
    assert.equal(await cli.failure("rates history CZK EUR --source cnb"), none);
    assert.equal(await cli.failure("rates trace CZK EUR --source cnb"), none);
    assert.equal(await cli.failure("rates own CZK EUR cnb"), none);
    const unknown =
      "kurs: nbp has no figure of EUR/CZK: kurs rates list EUR CZK shows those that have\n";
    assert.equal(await cli.failure("rates history EUR CZK --source nbp"), unknown);
    assert.equal(await cli.failure("rates own EUR CZK nbp"), unknown);
    assert.equal(
      await cli.failure("rates trace EUR CZK --source cnb --kind buying"),
      "kurs: cnb has no buying figure of EUR/CZK: pass --kind middle\n",
    );
  });
});

suite("the history of a series", { concurrency: 4 }, () => {
  test("has the publisher's dates with amendments, all of them or a range", async () => {
    await using cli = await threeSources();
    await cli.cnb("2026-03-16", "24.500");
    await cli.cnb("2026-03-13", "24.420");

    const history = await cli.output("rates history EUR CZK --source cnb");

    assert.deepEqual(
      rowsOf(history).map((cells) => cells.slice(0, 4)),
      [
        ["2026-03-13", "24.410", "2026-03-13T13:30:00Z", "1"],
        ["2026-03-13", "24.420", "2026-03-13T13:30:00Z", "2"],
        ["2026-03-16", "24.500", "2026-03-16T13:30:00Z", "1"],
      ],
    );
    const from = await cli.output("rates history EUR CZK --source cnb --from 2026-03-14 --json");
    assert.deepEqual(
      JSON.parse(from).map(({ rate, kind, date }: Record<string, string>) => [rate, kind, date]),
      [["24.500", "middle", "2026-03-16"]],
    );
    const csv = await cli.output("rates history EUR CZK --source cnb --to 2026-03-13 --format csv");
    const [heading, ...lines] = csv.trimEnd().split("\n");
    assert.equal(
      heading,
      "base,quote,rate,as_of,source,kind,date,valid_until,revision,stored_at,document",
    );
    assert.equal(lines.length, 2);
    assert.match(
      lines[1] ?? "",
      /^EUR,CZK,24\.420,2026-03-13T13:30:00\.0+Z,cnb,middle,2026-03-13,,2,\S+Z,[0-9a-f]{64}$/,
    );
    const empty = await cli.run("rates history EUR CZK --source cnb --from 2026-03-17");
    assert.deepEqual(
      [empty.exitCode, empty.stdout, empty.stderr],
      [0, "", "cnb has no figure of EUR/CZK in this range of dates.\n"],
    );
  });
});

suite("a figure of a series", { concurrency: 4 }, () => {
  test("is traced to its document and line, that of a date or the newest", async () => {
    await using cli = await threeSources();
    await cli.cnb("2026-03-16", "24.500");

    const newest = await cli.output("rates trace EUR CZK --source cnb");

    assert.match(newest, /^EUR\/CZK 24\.500 as of 2026-03-16T13:30:00Z\n/);
    assert.match(newest, /^source {5}cnb: Czech National Bank \(CZ\)$/m);
    assert.match(newest, /^series {5}middle figure of 2026-03-16$/m);
    assert.match(newest, /^line {7}1, column [0-9]+\n.*"rate":24\.500.*\n +\^{6}\n$/m);
    const earlier = JSON.parse(
      await cli.output("rates trace EUR CZK --source cnb --at 2026-03-15 --json"),
    );
    assert.deepEqual(
      [earlier.rate, earlier.date, earlier.origin.kind, earlier.origin.figure],
      ["24.410", "2026-03-13", "published", "24.410"],
    );
    assert.equal(earlier.publisher.name, "Czech National Bank");
    assert.equal(
      await cli.failure("rates trace EUR CZK --source cnb --at 2026-03-12"),
      "kurs: cnb has no figure of EUR/CZK on or before 2026-03-12: " +
        "kurs rates history EUR CZK --source cnb has its dates\n",
    );
  });

  test("in an archive of many dates is traced to the line of its date, and verified", async () => {
    await using cli = await threeSources();
    const dates = ["2026-03-10", "2026-03-11", "2026-03-12"];
    const days = dates.map(
      (date) => `<Cube time="${date}">\n<Cube currency="CZK" rate="24.1"/>\n</Cube>`,
    );
    await cli.archive("ecb", `<E>\n${days.join("\n")}\n</E>`);

    const traced = await cli.output("rates trace EUR CZK --source ecb --at 2026-03-11");

    assert.match(traced, /^line {7}6, column 28\n {2}<Cube currency="CZK" rate="24\.1"\/>$/m);
    assert.match(
      await cli.output("rates verify --source ecb"),
      /^verified 2 figures in 2 documents; series: 5 figures verified\n$/,
    );
    // What is served stays as it is.
    assert.match(await cli.output("rates list EUR CZK"), /^ecb .* 2026-03-13 .* served$/m);
  });

  test("that was imported is traced to the line of its file", async () => {
    await using cli = await threeSources();

    const traced = await cli.output(`rates trace EUR CZK --source import --file ${cli.file}`);

    assert.match(traced, /^EUR\/CZK 24\.39 as of /);
    assert.match(traced, /\n {2}EUR,CZK,24\.39,2026-03-12T15:00:00Z\n$/);
  });

  test("that its document does not state is traced and verified with exit code 1", async () => {
    await using cli = await threeSources();
    cli.change("UPDATE figures SET rate = '24.41' WHERE source = 'cnb' AND base = 'EUR'");

    const traced = await cli.run("rates trace EUR CZK --source cnb");

    assert.equal(traced.exitCode, 1);
    assert.match(
      traced.stdout,
      /\nthe document does not state this figure; see kurs rates verify\n$/,
    );
    const verified = await cli.run("rates verify");
    assert.equal(verified.exitCode, 1);
    assert.match(
      verified.stdout,
      /^EUR\/CZK, middle of 2026-03-13, revision 1: 24\.41 as of \S+ from cnb; its document [0-9a-f]{12} states 24\.410 as of \S+ from cnb\n/,
    );
    assert.match(
      verified.stdout,
      /; series: 3 figures verified, 1 imported, 1 not verified; 1 difference\n$/,
    );
    assert.equal((await cli.run("rates verify --source ecb")).exitCode, 0);
    const json = await cli.run("rates verify --source cnb --json");
    assert.equal(json.exitCode, 1);
    const { differences, series } = JSON.parse(json.stdout);
    assert.deepEqual(
      [differences.length, differences[0].kind, differences[0].figure.rate],
      [1, "series", "24.41"],
    );
    assert.deepEqual([differences[0].stated.rate, series.verified_figures], ["24.410", 1]);
  });
});

suite("a verification of the series", { concurrency: 4 }, () => {
  test("checks the figures of every source, or those of one", async () => {
    await using cli = await threeSources();

    // An import that is older than the served rate is in its series only.
    const all = await cli.output("rates verify");
    assert.equal(
      all,
      "verified 3 figures in 2 documents; series: 4 figures verified, 1 imported\n",
    );
    assert.equal(
      await cli.output("rates verify --source cnb"),
      "verified 1 figure in 1 document; series: 2 figures verified\n",
    );
    assert.equal(
      await cli.failure("rates verify --source nbp"),
      "kurs: no publication of nbp is stored: see kurs rates status; figures that came with the " +
        "program are verified without --source\n",
    );
  });

  test("reports a figure whose date or whose publication is wrong", async () => {
    await using cli = await threeSources();
    cli.change(
      "PRAGMA foreign_keys = OFF; " +
        "UPDATE figures SET publication = 99 WHERE source = 'cnb' AND base = 'USD'; " +
        "UPDATE figures SET date = '2026-03-14' WHERE source = 'ecb' AND quote = 'USD'",
    );

    const { exitCode, stdout } = await cli.run("rates verify");

    assert.equal(exitCode, 1);
    assert.match(stdout, /^EUR\/USD, middle of 2026-03-14, revision 1: .* states 1\.1476 /m);
    assert.match(stdout, /^USD\/CZK, middle of 2026-03-13, .*: its publication is missing$/m);
    assert.match(
      stdout,
      /series: 2 figures verified, 1 imported, 2 not verified; 2 differences\n$/,
    );
  });
});
