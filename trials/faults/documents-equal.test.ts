// Real processes, 25 years of two archives and 5 of NBP, 27 backfills: three minutes, mostly pauses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ArchivedFigure, madeUpFigures, ofEuro, targetDays } from "../../harness/archives.ts";
import { seededRandom } from "../../harness/seeded-random.ts";
import { isWednesday, playArchives, rowsOf } from "../../test/rates/backfill/played.ts";
import { openConnection } from "../../test/support/client.ts";
import { eventually } from "../../test/support/mails.ts";
import { kurs, Program, serve, temporaryDirectory } from "../../test/support/process.ts";

const TO = "2025-12-31";
const STEPS = 24;

/** How many figures are read back over REST: as many as the account has units. */
const READS = 10_000;

// NBP has two requests for each quarter, half a second apart.
const days = {
  ecb: targetDays("1999-01-04", TO),
  cnb: targetDays("1999-01-04", TO),
  nbp: targetDays("2021-01-04", TO),
};

// Four currencies of all days: the whole lists would take ten minutes.
const some = (figures: readonly ArchivedFigure[]) =>
  figures.filter(({ base, quote }) => /USD|CHF|PLN|SGD/.test(base === "EUR" ? quote : base));
const figures = {
  ecb: some(madeUpFigures(days.ecb, ofEuro)),
  cnb: some(madeUpFigures(days.cnb, (base) => ({ base, quote: "CZK" }), 2)),
  nbp: some(madeUpFigures(days.nbp, (base) => ({ base, quote: "PLN" }), 3)),
};
type Source = keyof typeof figures;
const sources = Object.keys(figures) as readonly Source[];

/** NBP's table A has the currencies to M, its table B the others, on Wednesdays. */
const isStated = (source: Source, { base, date }: ArchivedFigure) =>
  source !== "nbp" || base <= "M" || isWednesday(date);

test("after killed, narrow and wide backfills in any order, the store equals the documents", async () => {
  await using archives = await playArchives(figures);
  await using directory = await temporaryDirectory();
  const at = { dataDirectory: directory.path, env: archives.env };
  await kurs(["migrate"], at);
  const random = seededRandom(46);
  const choose = (count: number) => Math.floor(random() * count);
  const stored = () =>
    Number(rowsOf(directory.path, "SELECT count(*) AS figures FROM figures")[0]?.figures);
  const verify = async () => {
    const { exitCode, stdout } = await kurs(["rates", "verify", "--json"], at);
    const { differences, unstored } = JSON.parse(stdout);
    assert.deepEqual([exitCode, differences], [0, []]);
    return unstored as readonly { readonly source: string; readonly figures: number }[];
  };

  for (let step = 1; step <= STEPS; step += 1) {
    const source = sources[choose(3)] ?? "ecb";
    const own = days[source];
    const first = choose(own.length);
    const last = random() < 0.6 ? first + 1 + choose(90) : own.length;
    const dates = ["--from", own[first] ?? TO, "--to", own[last] ?? TO];
    const args = ["rates", "backfill", source, ...dates];
    if (random() < 0.4) {
      await using killed = new Program(args, at);
      const before = stored();
      const more = 1 + choose(2000);
      let isEnded = false;
      void killed.ended.then(() => (isEnded = true));
      await eventually("some figures", () => isEnded || stored() >= before + more || undefined);
      killed.signal("SIGKILL");
      await killed.ended;
    } else {
      await kurs(args, at);
    }
    if (step % 8 === 0) assert.notDeepEqual(await verify(), [], `step ${step}`);
  }
  for (const source of sources) {
    const args = ["rates", "backfill", source, "--from", days[source][0] ?? TO, "--to", TO];
    const { exitCode, stderr } = await kurs(args, at);
    assert.equal(exitCode, 0, stderr);
  }

  assert.deepEqual(await verify(), []);
  for (const source of sources) {
    const sql = `SELECT date, base, quote, rate, revision FROM figures
      WHERE source = '${source}' AND date <= '${TO}'`;
    const found = rowsOf(directory.path, sql).map(
      ({ date, base, quote, rate, revision }) => `${date} ${base}/${quote} ${rate} ${revision}`,
    );
    const wanted = figures[source]
      .filter((figure) => isStated(source, figure))
      .map(({ date, base, quote, rate }) => `${date} ${base}/${quote} ${rate} 1`);
    assert.deepEqual(found.toSorted(), wanted.toSorted(), source);
  }

  const env = { ...archives.env, RATE_SOURCES: "", PLAN_FREE_UNITS: String(READS) };
  await using node = await serve({ ...at, env });
  const { apiKey } = await node.newCustomer();
  const owned = rowsOf(directory.path, "SELECT base || '/' || quote AS pair, source FROM rates");
  const sourceOf = new Map(owned.map(({ pair, source }) => [pair, source]));
  const readable = sources.flatMap((source) =>
    figures[source].filter(
      (figure) =>
        isStated(source, figure) && sourceOf.get(`${figure.base}/${figure.quote}`) === source,
    ),
  );
  using connection = openConnection(node.url);
  for (let read = 0; read < READS; read += 1) {
    const figure = readable[choose(readable.length)];
    assert.ok(figure !== undefined);
    const { date, base, quote, rate } = figure;
    const headers = { "accept-datetime": new Date(`${date}T23:59:59Z`).toUTCString() };
    const answer = await connection.get(`/v1/rates/${base}/${quote}`, { apiKey, headers });
    const { as_of: asOf, ...body } = answer.body;
    assert.deepEqual(body, { base, quote, rate, type: "direct" }, `${date} ${answer.text}`);
    assert.equal(String(asOf).slice(0, 10), date);
    assert.equal(answer.headers["rate-missed"], undefined, date);
  }
  const { status } = await connection.get("/v1/rates/EUR/USD", { apiKey });
  assert.equal(status, 429, "every read was charged once");
});
