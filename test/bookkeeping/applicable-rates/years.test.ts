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

/** A figure is stored, another one is due after it, before or on the date that is asked for. */
const cases: readonly Readonly<
  Record<"why" | "source" | "stored" | "asked" | "due" | "missing" | "figure", string>
>[] = [
  {
    why: "24 December is a holiday in Poland since 2025",
    source: "nbp",
    stored: nbp("248/A/NBP/2024", "2024-12-23", "USD", "4.0950"),
    asked: "USD PLN 2024-12-26",
    due: "2024-12-24",
    missing: nbp("249/A/NBP/2024", "2024-12-24", "USD", "4.1127"),
    figure: "4.1127",
  },
  {
    why: "the kuna was in NBP's daily table until 2022",
    source: "nbp",
    stored: nbp("217/A/NBP/2022", "2022-11-09", "HRK", "0.6239"),
    asked: "HRK PLN 2022-11-10",
    due: "2022-11-10",
    missing: nbp("218/A/NBP/2022", "2022-11-10", "HRK", "0.6253"),
    figure: "0.6253",
  },
  {
    why: "Good Friday is a holiday in Czechia since 2016",
    source: "cnb",
    stored: cnb("2015-04-02", "27.570"),
    asked: "EUR CZK 2015-04-05",
    due: "2015-04-03",
    missing: cnb("2015-04-03", "27.540"),
    figure: "27.540",
  },
  {
    why: "Good Friday is a closing day of TARGET since 2000",
    source: "ecb",
    stored: ecbDay("1999-04-01", { USD: "1.0772" }),
    asked: "EUR USD 1999-04-04",
    due: "1999-04-02",
    missing: ecbDay("1999-04-02", { USD: "1.0772" }),
    figure: "1.0772",
  },
];

suite("a day that was none without a publication yet", { concurrency: 4 }, () => {
  for (const { why, source, stored, asked, due, missing, figure } of cases) {
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

test("of a year whose days off are not known, no weekend is passed over", async () => {
  await using store = await newRateStore();
  const usd = "<Valute><CharCode>USD</CharCode><Nominal>1</Nominal><Value>29,3578</Value></Valute>";
  await store.archive("cbr", Buffer.from(`<ValCurs Date="17.03.2012">${usd}</ValCurs>`));
  const command = "rates for USD RUB 2012-03-18 --source cbr --rule on-or-before";

  const message = await store.failure(command);
  assert.match(message, /^not known: cbr may have published USD\/RUB for 2012-03-18 \(its days/);
  const accepted = await store.output(`${command} --accept-gaps 1`);
  assert.match(accepted, /^USD\/RUB 29\.3578 for 2012-03-18\n/);
});
