import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ecbDay } from "../../support/fake-publisher.ts";
import { newRateStore } from "./store.ts";

// The figures are those of the publishers' archives that closed-days.txt beside the publishers'
// fixtures names, in their layouts of today.

const nbp = (no: string, date: string, code: string, mid: string) =>
  `[{"table":"A","no":"${no}","effectiveDate":"${date}","rates":[{"code":"${code}","mid":${mid}}]}]`;
const cnb = (date: string, rate: string) =>
  `{"rates":[{"currencyCode":"EUR","amount":1,"validFor":"${date}","rate":${rate}}]}`;

const cases: readonly (readonly [
  why: string,
  source: string,
  stored: string,
  asked: string,
  due: string,
  missing: string,
  figure: string,
])[] = [
  [
    "24 December is a holiday in Poland since 2025",
    ...["nbp", nbp("248/A/NBP/2024", "2024-12-23", "USD", "4.0950"), "USD PLN 2024-12-26"],
    ...["2024-12-24", nbp("249/A/NBP/2024", "2024-12-24", "USD", "4.1127"), "4.1127"],
  ],
  [
    "the kuna was in NBP's daily table until 2022",
    ...["nbp", nbp("217/A/NBP/2022", "2022-11-09", "HRK", "0.6239"), "HRK PLN 2022-11-10"],
    ...["2022-11-10", nbp("218/A/NBP/2022", "2022-11-10", "HRK", "0.6253"), "0.6253"],
  ],
  [
    "Good Friday is a holiday in Czechia since 2016",
    ...["cnb", cnb("2015-04-02", "27.570"), "EUR CZK 2015-04-05"],
    ...["2015-04-03", cnb("2015-04-03", "27.540"), "27.540"],
  ],
  [
    "Good Friday is a closing day of TARGET since 2000",
    ...["ecb", ecbDay("1999-04-01", { USD: "1.0772" }), "EUR USD 1999-04-04"],
    ...["1999-04-02", ecbDay("1999-04-02", { USD: "1.0772" }), "1.0772"],
  ],
] as const;

suite("a day that was none without a publication yet", { concurrency: 4 }, () => {
  for (const [why, source, stored, asked, due, missing, figure] of cases) {
    test(why, async () => {
      await using store = await newRateStore();
      const command = `rates for ${asked} --source ${source} --rule on-or-before`;
      await store.archive(source, Buffer.from(stored));

      const message = await store.failure(command);
      assert.match(message, new RegExp(`^not known: ${source} was due to publish .* for ${due}, `));

      await store.archive(source, Buffer.from(missing));
      const json = JSON.parse(await store.output(`${command} --json`));
      assert.deepEqual([json.rate, json.date], [figure, due]);
    });
  }
});
