import assert from "node:assert/strict";
import { test } from "node:test";
import { ecbHistory, madeUpFigures, ofEuro, targetDays } from "../../../../harness/archives.ts";
import { publishers } from "../../../../src/rates/sources/publishers/catalogue.ts";
import { requestsOf } from "../../../../src/rates/sources/publishers/publisher.ts";
import {
  archiveAddressesOf,
  bodiesOf,
  figuresOf,
  momentsOf,
  publisherOf,
  RECEIVED_MS,
  rejectionsOf,
} from "./recorded.ts";

const DATES = { from: "2024-04-01", to: "2024-06-30" };

/** The lines of an archive's response. */
const parse = (key: string, ...bodies: readonly (string | Uint8Array)[]) =>
  publisherOf(key).parse(
    bodies.map((body) => ({
      address: archiveAddressesOf(key, DATES)[0] ?? "",
      body: Buffer.from(body),
      receivedMs: RECEIVED_MS,
    })),
  );

const parseRecorded = (key: string) => parse(key, ...bodiesOf(key));

/** The addresses of some dates, as the publishers document them. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  ecb: ["https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.xml"],
  cnb: ["https://api.cnb.cz/cnbapi/exrates/daily-year?year=2024&lang=EN"],
  nbp: [
    "https://api.nbp.pl/api/exchangerates/tables/A/2024-04-01/2024-06-30/?format=json",
    "https://api.nbp.pl/api/exchangerates/tables/B/2024-04-01/2024-06-30/?format=json",
  ],
  norges: [
    "https://data.norges-bank.no/api/data/EXR/B..NOK.SP?format=csvdata&startPeriod=2024-04-01&endPeriod=2024-06-30",
  ],
  ust: [
    "https://api.fiscaldata.treasury.gov/services/api/fiscal_service/v1/accounting/od/rates_of_exchange?sort=effective_date&page[size]=10000&page[number]=1&filter=effective_date:gte:2024-04-01,effective_date:lte:2024-06-30",
  ],
  boc: [
    "https://www.bankofcanada.ca/valet/observations/group/FX_RATES_DAILY/json?start_date=2024-04-01&end_date=2024-06-30",
  ],
  riksbank: ["https://api.riksbank.se/swea/v1/Observations/ByGroup/130/2024-04-01/2024-06-30"],
  cbr: ["https://www.cbr.ru/scripts/XML_daily.asp?date_req=01/04/2024"],
  bnr: ["https://curs.bnr.ro/files/xml/years/nbrfxrates2024.xml"],
  nbg: ["https://nbg.gov.ge/gw/api/ct/monetarypolicy/currencies/en/json/?date=2024-04-01"],
  rba: ["https://www.rba.gov.au/statistics/tables/csv/f11.1-data.csv"],
  sfc: [
    "https://www.datos.gov.co/resource/32sa-8pi3.json?$order=vigenciadesde&$limit=5000&$where=vigenciadesde%20between%20'2024-04-01T00:00:00'%20and%20'2024-06-30T00:00:00'",
  ],
  // Easter Monday has none: the archive is asked for working days.
  bdi: [],
  frb: [
    "https://www.federalreserve.gov/datadownload/Output.aspx?rel=H10&series=60f32914ab61dfab590e0e470153e3ae&lastobs=&from=04/01/2024&to=06/30/2024&filetype=csv&label=include&layout=seriescolumn",
  ],
  bam: [
    "https://api.centralbankofmorocco.ma/cours/Version1/api/CoursVirement?date=2024-04-01T12:30:00",
  ],
  mas: ["https://eservices.mas.gov.sg/statistics/msb/ExchangeRates.aspx"],
  boj: [
    "https://www.stat-search.boj.or.jp/api/v1/getDataCode?format=json&lang=en&db=FM08&code=FXERD04,FXERD34&startDate=202404&endDate=202406",
  ],
  cbc: ["https://cpx.cbc.gov.tw/API/DataAPI/Get?FileName=BP01D01"],
  cbar: ["https://www.cbar.az/currencies/01.04.2024.xml"],
  cbbh: [
    "https://www.cbbh.ba/CurrencyExchange/GetJsonForPeriod?dateFrom=2024-04-01&dateTo=2024-06-30",
  ],
  boi: [
    "https://edge.boi.gov.il/FusionEdgeServer/sdmx/v2/data/dataflow/BOI.STATISTICS/EXR/1.0/RER_USD_ILS.D.USD.ILS.ILS.OF00,RER_GBP_ILS.D.GBP.ILS.ILS.OF00,RER_JPY_ILS.D.JPY.ILS.ILS.OF00,RER_EUR_ILS.D.EUR.ILS.ILS.OF00,RER_AUD_ILS.D.AUD.ILS.ILS.OF00,RER_CAD_ILS.D.CAD.ILS.ILS.OF00,RER_DKK_ILS.D.DKK.ILS.ILS.OF00,RER_NOK_ILS.D.NOK.ILS.ILS.OF00,RER_ZAR_ILS.D.ZAR.ILS.ILS.OF00,RER_SEK_ILS.D.SEK.ILS.ILS.OF00,RER_CHF_ILS.D.CHF.ILS.ILS.OF00,RER_JOD_ILS.D.JOD.ILS.ILS.OF00,RER_LBP_ILS.D.LBP.ILS.ILS.OF00,RER_EGP_ILS.D.EGP.ILS.ILS.OF00?c%5BTIME_PERIOD%5D=ge:2024-04-01+le:2024-06-30",
  ],
  boe: [
    "https://www.bankofengland.co.uk/boeapps/database/_iadb-fromshowcolumns.asp?csv.x=yes&Datefrom=01/Apr/2024&Dateto=30/Jun/2024&SeriesCodes=XUDLUSS,XUDLERS,XUDLJYS,XUDLCDS,XUDLSFS,XUDLADS,XUDLNDS,XUDLNKS,XUDLSKS,XUDLDKS,XUDLHDS,XUDLSGS,XUDLSRS,XUDLZRS,XUDLTWS,XUDLBK25,XUDLBK33,XUDLBK47,XUDLBK78,XUDLBK83,XUDLBK87,XUDLBK89,XUDLBK93,XUDLBK95,XUDLBK97,XUDLZOS4&CSVF=TN&UsingCodes=Y",
  ],
  nbrb: ["https://api.nbrb.by/exrates/rates?ondate=2024-04-01&periodicity=0"],
  cbt: ["https://cbt.tm/kurs/2024/01042024.xml"],
  nbe: ["https://api.nbe.gov.et/api/filter-exchange-rates?date=2024-04-01"],
  bcrp: [
    "https://estadisticas.bcrp.gob.pe/estadisticas/series/api/PD04639PD-PD04640PD/json/2024-04-01/2024-06-30/ing",
  ],
  nrb: [
    "https://www.nrb.org.np/api/forex/v1/rates?page=1&per_page=100&from=2024-04-01&to=2024-06-30",
  ],
};

test("an archive's addresses are those that its publisher documents, of its hosts", () => {
  for (const [key, addresses] of Object.entries(ADDRESSES)) {
    assert.deepEqual(archiveAddressesOf(key, DATES), addresses, key);
  }

  for (const publisher of publishers) {
    const { key, archive } = publisher;
    if (archive === undefined) continue;
    assert.equal(Temporal.PlainDate.from(archive.since).toString(), archive.since, key);
    assert.ok(archive.paceMs >= 500, key);
    const hosts = new Set(
      requestsOf(publisher, RECEIVED_MS, "").map(({ address }) => new URL(address).host),
    );
    for (const address of archiveAddressesOf(key, DATES)) {
      const { protocol, host } = new URL(address);
      assert.deepEqual([protocol, hosts.has(host)], ["https:", true], address);
    }
  }

  for (const { key, archive } of publishers) {
    if (archive !== undefined) assert.notEqual(figuresOf(parseRecorded(key)).length, 0, key);
  }
});

test("the ECB's archive states every figure of every day, and keeps each digit", () => {
  const figures = madeUpFigures(targetDays("2024-03-25", "2024-04-05"), ofEuro);
  const lines = parse("ecb", ecbHistory(figures));

  assert.equal(targetDays("2024-03-25", "2024-04-05").length, 8);
  assert.deepEqual(
    [...figuresOf(lines)].sort(),
    figures.map(({ base, quote, rate }) => `${base}/${quote} ${rate}`).sort(),
  );
  assert.deepEqual(rejectionsOf(lines), []);
  // Summer time began on 31 March.
  const moments = momentsOf(lines);
  assert.ok(moments.includes("2024-03-28T15:00:00.000000000Z"));
  assert.ok(moments.includes("2024-04-02T14:00:00.000000000Z"));
});

test("an archive keeps series that ended, which the latest rates leave out", () => {
  assert.ok(figuresOf(parseRecorded("riksbank")).includes("CYP/SEK 16.1812"));
  const norges = figuresOf(parseRecorded("norges"));
  assert.ok(norges.includes("DKK/NOK 1.5032") && norges.includes("DKK/NOK 1.4920"));
  const rba = figuresOf(parseRecorded("rba"));
  assert.ok(rba.includes("AUD/USD 0.7038") && rba.includes("AUD/USD 0.7088"));
});

test("the Treasury's archive has every quarter by its effective date, and is no page of several", () => {
  const lines = parseRecorded("ust");
  assert.deepEqual(
    figuresOf(lines).filter((figure) => figure.startsWith("USD/EUR")),
    ["USD/EUR 0.87", "USD/EUR 0.851"],
  );
  assert.deepEqual(momentsOf(lines), [
    "2025-12-31T05:00:00.000000000Z",
    "2026-03-31T04:00:00.000000000Z",
  ]);

  // Both sides of the leone's redenomination, as in the tests of lineofflight/frankfurter; of the
  // bolívar's only the name and the date count.
  const row = (name: string, rate: string, record: string, effective = record) =>
    `{"country_currency_desc": "${name}", "exchange_rate": "${rate}", ` +
    `"record_date": "${record}", "effective_date": "${effective}"}`;
  const rows = [
    row("Sierra Leone-Leone", "13175.0", "2022-06-30"),
    row("Sierra Leone-Leone", "13.62", "2022-06-30", "2022-07-15"),
    row("Venezuela-Bolivar Soberano", "1", "2021-09-30"),
  ];
  const years = parse("ust", `{"data": [${rows.join()}], "meta": {"total-pages": 1}}`);
  assert.deepEqual(figuresOf(years.slice(0, 2)), ["USD/SLL 13175.0", "USD/SLE 13.62"]);
  assert.match(JSON.stringify(years[2]), /Venezuela-Bolivar Soberano/);
  assert.equal(rejectionsOf(years).length, 1);

  const page = (pages: string) => `{"data": [], "meta": {"total-pages": ${pages}}}`;
  assert.deepEqual(parse("ust", page("0")), []);
  assert.throws(() => parse("ust", page("2")), /the response is a page of 2/);
  assert.throws(() => parse("ust", '{"data": []}'), /a page of an unknown number/);
});
