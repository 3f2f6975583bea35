import { cnbDay, ecbDay } from "../../support/fake-publisher.ts";
import { newRateCli } from "../../support/rate-cli.ts";

/** A store with the command line, and tables of three publishers. */
export async function newSeriesCli() {
  const cli = await newRateCli();
  return {
    ...cli,
    /** Fetches the ECB's table of a date, or CNB's. */
    ecb: (date: string, czk: string) =>
      cli.refresh("ecb", [ecbDay(date, { USD: "1.1476", CZK: czk })]),
    cnb: (date: string, eur: string) =>
      cli.refresh("cnb", [cnbDay(date, { EUR: eur, USD: "21.27" })]),
    /** Fetches InforEuro's table of a month such as 2026-03. */
    inforeuro: (month: string, usd: string) => {
      const query = `?year=${month.slice(0, 4)}&month=${Number(month.slice(5))}`;
      return cli.refresh("inforeuro", [`[{"isoA3Code":"USD","value":${usd}}]`], [query]);
    },
  };
}

export type SeriesCli = Awaited<ReturnType<typeof newSeriesCli>>;

/** EUR/CZK of one day from the ECB, which owns it, and from CNB, and of the day before imported. */
export async function threeSources() {
  const cli = await newSeriesCli();
  await cli.ecb("2026-03-13", "24.400");
  await cli.cnb("2026-03-13", "24.410");
  const file = await cli.import("EUR,CZK,24.39,2026-03-12T15:00:00Z");
  return { ...cli, file };
}
