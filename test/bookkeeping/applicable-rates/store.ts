import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BY } from "../../contract/suite/origins.ts";
import { newRateCli } from "../../support/rate-cli.ts";

/**
 * Parts of recorded documents. ecb-2019-12, ecb-2020-01: TaunoLainevool/currency-calculator at
 * 07788131, eurofxref-hist.xml. ecb-2026-03, cnb-2026-04: recorded for tests of lineofflight/frankfurter.
 * nbp: api.nbp.pl's list of 50 rates of the dollar as of 2024-01-10, recorded in the source of a
 * public program (NbpRates.swift of ChartTest), in the layout of table A. The others are those of
 * test/rates/sources/publishers/fixtures.
 */
export const recorded = (name: string) =>
  readFileSync(
    join(
      import.meta.dirname,
      /-20\d\d/.test(name) ? "fixtures" : "../../rates/sources/publishers/fixtures",
      name,
    ),
  );

/** BCRA's document with several figures of the real for a date, as it published two once. */
export const contradictory = (date: string, ...rates: readonly string[]) =>
  recorded("bcra.json.txt")
    .toString()
    .replace("2026-03-19", date)
    .replace('{"codigoMoneda":"USD"', (usd) =>
      rates
        .map((rate) => `{"codigoMoneda":"BRL","descripcion":"REAL","tipoCotizacion":${rate}},`)
        .concat(usd)
        .join("\n"),
    );

/** A store, and the command line on it. */
export async function newRateStore() {
  const cli = await newRateCli();
  cli.clock.set("2026-10-01T12:00:00.000Z");
  return {
    ...cli,
    /** Records a restore of a backup, as `kurs restore` does. */
    async recordRestore(takenAt: string, at: string): Promise<void> {
      const details = { taken_at: takenAt };
      await cli.store.audit.record("store.restored", { ...BY, at }, { details });
    },
    /** Runs a command that fails with one sentence. @returns its message without "kurs: ". */
    async failure(command: string, exitCode = 1): Promise<string> {
      const ended = await cli.run(command);
      assert.deepEqual([ended.exitCode, ended.stdout], [exitCode, ""], command);
      assert.match(ended.stderr, /^kurs: .+\n$/);
      return ended.stderr.slice("kurs: ".length).trimEnd();
    },
  };
}
