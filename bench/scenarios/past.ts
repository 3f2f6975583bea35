import { pastRead, TIMES } from "../load/requests.ts";
import type { Scenario } from "../scenario.ts";
import { kursTarget, startFilledKurs } from "../stores/kurs.ts";

/** With 6,500 working days of 25 years each: 5 million figures, as of ten publishers. */
const PAIRS = 770;

const ADD_FIGURES = [
  "PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN",
  "UPDATE rates SET source = 'ecb'",
  `
  WITH RECURSIVE days (day) AS (
    SELECT date(${TIMES.from}, 'unixepoch', '-7 days')
    UNION ALL SELECT date(day, '+1 day') FROM days WHERE day < date(${TIMES.to}, 'unixepoch')
  )
  INSERT INTO figures (source, base, quote, kind, date, as_of, revision, rate, stored_at, publication)
  SELECT 'ecb', base, quote, 'middle', day, day || 'T15:00:00.000000000Z', 1, rate,
    day || 'T15:05:00.000Z', 1
  FROM rates CROSS JOIN days WHERE strftime('%w', day) BETWEEN '1' AND '5' ORDER BY base, day`,
  "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)",
];

export const past: Scenario = {
  name: "past",
  summary:
    "reads of random times in 25 years, 5 million figures, compared with reads of the newest",
  async run(bench) {
    const counts = { accounts: bench.options.accounts, pairs: PAIRS };
    bench.print("filling a store with 25 years of figures …");
    const kurs = await startFilledKurs(bench, "data", { counts, statements: ADD_FIGURES });
    return bench.compare({
      connections: [64],
      targets: [kursTarget("newest", kurs), kursTarget("past", kurs, pastRead)],
      ratios: [["past", "newest"]],
    });
  },
};
