import assert from "node:assert/strict";
import { test } from "node:test";
import { openConnection } from "../../test/support/client.ts";
import { kurs, Program, serve, temporaryDirectory } from "../../test/support/process.ts";

const HEADER = "base,quote,rate,as_of\n";
const TIME = "2020-01-02T15:00:00Z";

/** This many lines, each with its own pair, and EUR/USD as the middle one. */
function manyLines(count: number, eurUsd: string): string {
  const lines = Array.from({ length: count - 1 }, (_, index) => `P${index},USD,1.${index},${TIME}`);
  lines.splice(count / 2, 0, eurUsd);
  return `${HEADER}${lines.join("\n")}\n`;
}

test("a server serves and charges exactly during an import of 20,000 lines", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  await kurs(["rates", "import", "-"], { dataDirectory, input: `${HEADER}EUR,USD,1.10,${TIME}\n` });
  await using server = await serve({ dataDirectory, env: { PLAN_FREE_UNITS: "1000000" } });
  const { session, apiKey } = await server.newCustomer("ada@example.org");
  const input = manyLines(20_000, "EUR,USD,1.20,2020-01-03T15:00:00Z");
  let importing = false;

  /**
   * Reads on one connection, and is served at least once. A machine that stops the import within a
   * transaction for over a second makes a read fail, which costs no unit.
   *
   * @returns the rates in order.
   */
  const readOn = async () => {
    using connection = openConnection(server.url);
    const figures: string[] = [];
    while (importing || figures.length === 0) {
      const { status, body, text } = await connection.readRate("EUR/USD", apiKey);
      if (status === 200) figures.push(String(body.rate));
      else assert.deepEqual([status, body.code], [503, "temporarily_unavailable"], text);
    }
    return figures;
  };

  const before = await readOn();
  importing = true;
  await using program = new Program(["rates", "import", "-"], { dataDirectory, input });
  const readers = [readOn(), readOn(), readOn(), readOn()];
  const ended = await program.end();
  importing = false;
  const during = await Promise.all(readers);
  const after = await readOn();

  assert.deepEqual(
    [ended.exitCode, ended.stdout],
    [0, "stored 20000, unchanged 0, held 0, rejected 0\n"],
  );
  assert.deepEqual([before, after], [["1.10"], ["1.20"]]);
  for (const figures of during) assert.deepEqual(figures, [...figures].sort());
  assert.equal(new Set(during.flat()).size, 2);
  assert.equal(await server.usedUnits(session), during.flat().length + 2);
  assert.equal((await server.get("/v1/rates/P19998/USD", { apiKey })).body.rate, "1.19998");
});
