import assert from "node:assert/strict";
import { test } from "node:test";
import { publishers } from "../../../../src/rates/sources/publishers/catalogue.ts";
import { requestsOf } from "../../../../src/rates/sources/publishers/publisher.ts";
import {
  addressesOf,
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
      address: archiveAddressesOf(key, DATES)[0] ?? addressesOf(key)[0] ?? "",
      body: Buffer.from(body),
      receivedMs: RECEIVED_MS,
    })),
  );

const parseRecorded = (key: string) => parse(key, ...bodiesOf(key));

/** How each of the addresses for the dates ends, as the publishers document them. */
const ADDRESSES: readonly (readonly [key: string, ...ends: readonly string[]])[] = [
  ["ecb", "/stats/eurofxref/eurofxref-hist.xml"],
  ["cnb", "/cnbapi/exrates/daily-year?year=2024&lang=EN"],
  ["nbp", ...["A", "B"].map((table) => `/tables/${table}/2024-04-01/2024-06-30/?format=json`)],
  ["norges", "/B..NOK.SP?format=csvdata&startPeriod=2024-04-01&endPeriod=2024-06-30"],
  [
    "ust",
    "/rates_of_exchange?sort=effective_date&page[size]=10000&page[number]=1" +
      "&filter=effective_date:gte:2024-04-01,effective_date:lte:2024-06-30",
  ],
  ["boc", "/group/FX_RATES_DAILY/json?start_date=2024-04-01&end_date=2024-06-30"],
  ["riksbank", "/Observations/ByGroup/130/2024-04-01/2024-06-30"],
  ["cbr", "/scripts/XML_daily.asp?date_req=01/04/2024"],
  ["bnr", "/files/xml/years/nbrfxrates2024.xml"],
  ["nbg", "/monetarypolicy/currencies/en/json/?date=2024-04-01"],
  ["rba", "/statistics/tables/csv/f11.1-data.csv"],
  [
    "sfc",
    "/32sa-8pi3.json?$order=vigenciadesde&$limit=5000&$where=vigenciadesde%20between" +
      "%20'2024-04-01T00:00:00'%20and%20'2024-06-30T00:00:00'",
  ],
  // Easter Monday has none: the archive is asked for working days.
  ["bdi"],
  [
    "frb",
    "?rel=H10&series=60f32914ab61dfab590e0e470153e3ae&lastobs=&from=04/01/2024&to=06/30/2024" +
      "&filetype=csv&label=include&layout=seriescolumn",
  ],
  ["bam", "/CoursVirement?date=2024-04-01T12:30:00"],
  ["mas", "/statistics/msb/ExchangeRates.aspx"],
  ["boj", "&db=FM08&code=FXERD04,FXERD34&startDate=202404&endDate=202406"],
  ["cbc", "/Get?FileName=BP01D01"],
  ["cbar", "/currencies/01.04.2024.xml"],
  ["cbbh", "/GetJsonForPeriod?dateFrom=2024-04-01&dateTo=2024-06-30"],
  [
    "boi",
    `/${"USD GBP JPY EUR AUD CAD DKK NOK ZAR SEK CHF JOD LBP EGP"
      .split(" ")
      .map((code) => `RER_${code}_ILS.D.${code}.ILS.ILS.OF00`)}` +
      "?c%5BTIME_PERIOD%5D=ge:2024-04-01+le:2024-06-30",
  ],
  [
    "boe",
    "&Datefrom=01/Apr/2024&Dateto=30/Jun/2024&SeriesCodes=XUDLUSS,XUDLERS,XUDLJYS,XUDLCDS," +
      "XUDLSFS,XUDLADS,XUDLNDS,XUDLNKS,XUDLSKS,XUDLDKS,XUDLHDS,XUDLSGS,XUDLSRS,XUDLZRS,XUDLTWS," +
      "XUDLBK25,XUDLBK33,XUDLBK47,XUDLBK78,XUDLBK83,XUDLBK87,XUDLBK89,XUDLBK93,XUDLBK95," +
      "XUDLBK97,XUDLZOS4&CSVF=TN&UsingCodes=Y",
  ],
  ["nbrb", "/exrates/rates?ondate=2024-04-01&periodicity=0"],
  ["cbt", "/kurs/2024/01042024.xml"],
  [
    "sbi",
    ...["9", "7"].map(
      (group) => `?DagsFra=2024-04-01&DagsTil=2024-06-30&GroupID=${group}&Type=xml`,
    ),
  ],
  ["hnb", "/v3?datum-primjene-od=2024-04-01&datum-primjene-do=2024-06-30"],
  ["mnb", "/arfolyamok.asmx"],
  ["nbu", "/exchange_site?start=20240401&end=20240630&json"],
  ["nbrm", "/GetExchangeRate?StartDate=01.04.2024&EndDate=30.06.2024&format=json"],
  ["amcm", "/financial_info?QueryType=1&Begin=20240401&End=20240630"],
  ["cbu", "/arkhiv-kursov-valyut/json/all/2024-04-01/"],
  ["nbk", "/rss/get_rates.cfm?fdate=01.04.2024"],
  ["nbm", "/official_exchange_rates?get_xml=1&date=01.04.2024"],
  ["cba", "/exchangerates.asmx"],
  ["tcmb", "/kurlar/202404/01042024.xml"],
  [
    "hkma",
    "/er-eeri-daily?choose=end_of_day&from=2024-04-01&to=2024-06-30" +
      "&offset=0&pagesize=100&sortby=end_of_day&sortorder=desc",
  ],
  [
    "bnm",
    ...(
      "AED AUD BND CAD CHF CNY EGP EUR GBP HKD IDR INR JPY KHR KRW MMK NPR NZD PHP PKR SAR SDR " +
      "SGD THB TWD USD VND"
    )
      .split(" ")
      .map((code) => `/exchange-rate/${code}/year/2024/month/4?session=0900&quote=rm`),
  ],
  [
    "sarb",
    ...["EXCX135D", "EXCZ001D", "EXCZ002D", "EXCB120D"].map(
      (series) => `/GetTimeseriesObservations/${series}/2024-04-01/2024-06-30`,
    ),
  ],
  [
    "bcb",
    ..."AUD CAD CHF DKK EUR GBP JPY NOK SEK USD"
      .split(" ")
      .map(
        (code) =>
          `?@moeda='${code}'&@dataInicial='04-01-2024'&@dataFinalCotacao='06-30-2024'` +
          "&$filter=tipoBoletim%20eq%20'Fechamento'&$format=json",
      ),
  ],
  ["banxico", "/SF43718,SF46410,SF46407,SF46406,SF60632/datos/2024-04-01/2024-06-30"],
  [
    "imf",
    ...["SDRCV", "CVSDR"].map(
      (table) => `/rms_mth.aspx?SelectDate=2024-04-30&reportType=${table}&tsvflag=Y`,
    ),
  ],
  ["hmrc", "/exchange_rates/files/monthly_csv_2024-4.csv"],
  ["inforeuro", "/monthly-rates?lang=EN&year=2024&month=4"],
  // Neither ends a year of a table.
  ["hmrc-average"],
  ["hmrc-spot"],
  ["bazg-monthly", "/xmlavgmonth?j=2024&m=04"],
  // Easter Monday: nothing was set on the day before.
  ["bazg"],
  ["nbe", "/filter-exchange-rates?date=2024-04-01"],
  ["bcrp", "/PD04639PD-PD04640PD/json/2024-04-01/2024-06-30/ing"],
  ["cfets", "/CcprHisNew?startDate=2024-04-01&endDate=2024-06-30&currency=&pageNum=1&pageSize=50"],
  ["bot", "/DAILY_AVG_EXG_RATE/?start_period=2024-04-01&end_period=2024-06-30"],
  ["nrb", "/v1/rates?page=1&per_page=100&from=2024-04-01&to=2024-06-30"],
];

test("an archive's addresses end as its publisher documents, at its hosts", () => {
  for (const [key, ...ends] of ADDRESSES) {
    const addresses = archiveAddressesOf(key, DATES);
    assert.deepEqual(
      addresses.map((address, index) => address.slice(-(ends[index]?.length ?? 0))),
      ends,
      key,
    );
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

test("archives of a day are asked for days on which rates are set", () => {
  const asked = (key: string, date: string) => archiveAddressesOf(key, { from: date, to: date });
  const bazg = "https://www.backend-rates.bazg.admin.ch/api/xmldaily?d=";
  // Those that are valid on a Saturday were set on Friday. The first of May is none of its holidays.
  assert.deepEqual(asked("bazg", "2024-04-06"), [`${bazg}20240405`]);
  assert.deepEqual(asked("bazg", "2024-05-02"), [`${bazg}20240501`]);
  assert.deepEqual([asked("bazg", "2024-04-08"), asked("bazg", "2024-12-26")], [[], []]);
  for (const key of ["cbu", "nbk", "nbm", "tcmb"]) {
    assert.deepEqual([asked(key, "2024-04-06"), asked(key, "2024-04-07")], [[], []], key);
    assert.equal(asked(key, "2024-04-08").length, 1, key);
  }
});

test("an archive is asked by POST, and with headers, where its publisher wants them", () => {
  const request = (key: string) => publisherOf(key).archive?.requests(DATES, "")[0];
  assert.match(
    request("cba")?.body ?? "",
    /<ExchangeRatesByDateRangeByISO xmlns="http:\/\/www\.cba\.am\/"><ISOCodes>USD,.+,NZD<\/ISOCodes><DateFrom>2024-04-01<\/DateFrom><DateTo>2024-06-30<\/DateTo></,
  );
  assert.match(request("cba")?.headers?.soapaction ?? "", /DateRangeByISO"$/);
  assert.deepEqual(request("bnm")?.headers, { accept: "application/vnd.BNM.API.v1+json" });
});

/** What archives have in a form of their own, cut down from recordings. */
const FORMS: Readonly<Record<string, readonly [body: string, figures: string, asOf: string]>> = {
  // lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/cba.yml. A gram of gold is left out.
  // The euro is made up: it has the offset of summer time, until 2011.
  cba: [
    `<soap:Envelope><soap:Body><ExchangeRatesByDateRangeByISOResponse>
<ExchangeRatesByDateRangeByISOResult><xs:schema/><diffgr:diffgram><DocumentElement>
<ExchangeRatesByRange><Rate>376.88</Rate><Amount>1</Amount><ISO>USD</ISO><Diff>-0.12</Diff>
<RateDate>2026-03-02T00:00:00+04:00</RateDate></ExchangeRatesByRange>
<ExchangeRatesByRange><Rate>0.028677</Rate><Amount>100</Amount><ISO>IRR</ISO><Diff>0.000079</Diff>
<RateDate>2026-03-18T00:00:00+04:00</RateDate></ExchangeRatesByRange>
<ExchangeRatesByRange><Rate>60871</Rate><Amount>1</Amount><ISO>XAU</ISO><Diff>255</Diff>
<RateDate>2026-03-18T00:00:00+04:00</RateDate></ExchangeRatesByRange>
<ExchangeRatesByRange><Rate>535.2</Rate><Amount>1</Amount><ISO>EUR</ISO><Diff>0.1</Diff>
<RateDate>2011-07-01T00:00:00+05:00</RateDate></ExchangeRatesByRange>
</DocumentElement></diffgr:diffgram></ExchangeRatesByDateRangeByISOResult>
</ExchangeRatesByDateRangeByISOResponse></soap:Body></soap:Envelope>`,
    "USD/AMD 376.88, IRR/AMD 0.00028677, EUR/AMD 535.2",
    "2011-07-01T12:00, 2026-03-02T13:00, 2026-03-18T13:00",
  ],
  // The same, spec/vcr_cassettes/bnm.yml.
  bnm: [
    `{"data":{"currency_code":"INR","unit":100,"rate":[{"date":"2026-03-02",
"buying_rate":4.2916999999999996,"selling_rate":4.3010999999999999,
"middle_rate":4.2964000000000002}]},"meta":{"session":"0900"}}`,
    "INR/MYR 0.042964000000000002 middle, INR/MYR 0.042916999999999996 buying, " +
      "INR/MYR 0.043010999999999999 selling",
    "2026-03-02T01:00",
  ],
  // The same, spec/vcr_cassettes/imf.yml: one table of a month in two parts.
  imf: [
    "SDRs per Currency unit for March 2026\r\nCurrency\tMarch 02, 2026\tMarch 03, 2026\r\n" +
      "Chinese yuan\t0.1060050000\t0.1063440000\r\n\r\n" +
      "SDRs per Currency unit for March 2026 Continued\r\n" +
      "Currency\tMarch 17, 2026\tMarch 20, 2026\r\nAlgerian dinar\t0.0055631900\tNA\r\n\r\n" +
      "Notes:\r\n\r\nThe value in terms of each national currency of the SDR (shown above) is the " +
      "reciprocal of the value in terms of the SDR of each national currency, rounded to six " +
      "significant digits.",
    "CNY/XDR 0.1060050000, CNY/XDR 0.1063440000, DZD/XDR 0.0055631900",
    "2026-03-02T17:00, 2026-03-03T17:00, 2026-03-17T16:00",
  ],
};

test("a parser reads the forms that only its publisher's archive has", () => {
  for (const [key, [body, figures, asOf]] of Object.entries(FORMS)) {
    const lines = parse(key, body);
    assert.deepEqual(figuresOf(lines), figures.split(", "), key);
    assert.deepEqual(rejectionsOf(lines), [], key);
    const moments = asOf.split(", ").map((time) => `${time}:00.000000000Z`);
    assert.deepEqual(momentsOf(lines), moments, key);
  }
});

test("codes of the archives that were others in their time are those of ISO 4217", () => {
  const inforEuro = (
    date: string,
    ...rows: readonly (readonly [code: string, value: string])[]
  ) => {
    const [address = ""] = archiveAddressesOf("inforeuro", { from: date, to: date });
    const entries = rows.map(([code, value]) => `{"isoA3Code":"${code}","value":${value}}`);
    const response = { address, body: Buffer.from(`[${entries}]`), receivedMs: RECEIVED_MS };
    return figuresOf(publisherOf("inforeuro").parse([response]));
  };
  // Recorded in lineofflight/frankfurter 6d316bdb, spec/vcr_cassettes/inforeuro.yml.
  assert.deepEqual(inforEuro("1998-12-01", ["BGL", "1960.28"], ["FRC", "2.90741"]), [
    "XEU/BGL 1960.28",
    "XEU/CDF 2.90741",
  ]);
  assert.deepEqual(inforEuro("1999-01-01", ["EUR", "1"], ["TRL", "365748"]), ["EUR/TRL 365748"]);
  assert.deepEqual(inforEuro("2000-01-01", ["AOK", "5.54714"]), ["EUR/AOA 5.54714"]);
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
