import { join } from "node:path";
import { duringLoad, measureCommand } from "../commands.ts";
import { measureInTurn } from "../comparison.ts";
import type { Row } from "../figures.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { fillStoreOf, kursTarget, MILLION, startFilledKurs } from "../stores/kurs.ts";

const SMALLER = [10_000, 100_000];

const PAIRS = 240;

/** Both exports, by the names of their rows. Each bench account has one row in both. */
const EXPORTS: readonly (readonly [name: string, ...options: string[]])[] = [
  ["by account"],
  ["by key and day", "--per-key-and-day"],
];

export const exporting: Scenario = {
  name: "export",
  summary: "kurs usage export of up to a million accounts, alone and during reads",
  async run(bench) {
    const rows: Row[] = [];
    for (const accounts of SMALLER) {
      const directory = join(bench.directory, `accounts-${accounts}`);
      await fillStoreOf(bench, directory, { accounts, pairs: PAIRS });
      rows.push(...(await exportsOf(directory, accounts, bench)));
    }
    bench.print("filling a store with a million accounts …");
    const kurs = await startFilledKurs(bench, "million", {
      counts: { ...MILLION, pairs: PAIRS },
    });
    const { dataDirectory, counts } = kurs;
    rows.push(...(await exportsOf(dataDirectory, counts.accounts, bench)));
    // The scenario `million` compares the charges: to add them up takes seconds in such a store.
    const { charges, ...reads } = kursTarget("reads alone", kurs);
    const { tables, failures } = await bench.compare({
      connections: [64],
      targets: [
        reads,
        ...EXPORTS.map(([name, ...options]) => ({
          ...reads,
          name: `reads, export ${name}`,
          startBackground: async () => {
            const hint = "the export ended before the load: use fewer --seconds";
            return duringLoad(exportOf(bench, dataDirectory, counts.accounts, options), hint);
          },
        })),
      ],
    });
    const title = `${bench.options.rounds} exports of each kind, alone: medians`;
    return { tables: [{ title, rows }, ...tables], failures };
  },
};

function exportsOf(directory: string, accounts: number, bench: Bench): Promise<Row[]> {
  const subjects = EXPORTS.map(([name, ...options]) => {
    const measure = () => exportOf(bench, directory, accounts, options);
    return [`${accounts} accounts, ${name}`, measure] as const;
  });
  return measureInTurn(bench, Object.fromEntries(subjects));
}

function exportOf(bench: Bench, directory: string, accounts: number, options: readonly string[]) {
  return measureCommand(bench, ["usage", "export", ...options], directory, accounts);
}
