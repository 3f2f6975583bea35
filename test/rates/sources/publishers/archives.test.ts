import assert from "node:assert/strict";
import { test } from "node:test";
import { ecbHistory, madeUpFigures, ofEuro, targetDays } from "../../../../harness/archives.ts";
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
  sbi: ["9", "7"].map(
    (group) =>
      `https://sedlabanki.is/xmltimeseries/Default.aspx?DagsFra=2024-04-01&DagsTil=2024-06-30&GroupID=${group}&Type=xml`,
  ),
  hnb: [
    "https://api.hnb.hr/tecajn-eur/v3?datum-primjene-od=2024-04-01&datum-primjene-do=2024-06-30",
  ],
  mnb: ["https://www.mnb.hu/arfolyamok.asmx"],
  nbu: ["https://bank.gov.ua/NBU_Exchange/exchange_site?start=20240401&end=20240630&json"],
  nbrm: [
    "https://www.nbrm.mk/KLServiceNOV/GetExchangeRate?StartDate=01.04.2024&EndDate=30.06.2024&format=json",
  ],
  amcm: [
    "https://www.amcm.gov.mo/api/v1.0/cms/financial_info?QueryType=1&Begin=20240401&End=20240630",
  ],
  cbu: ["https://cbu.uz/en/arkhiv-kursov-valyut/json/all/2024-04-01/"],
  nbk: ["https://nationalbank.kz/rss/get_rates.cfm?fdate=01.04.2024"],
  nbm: ["https://www.bnm.md/en/official_exchange_rates?get_xml=1&date=01.04.2024"],
  cba: ["https://api.cba.am/exchangerates.asmx"],
  tcmb: ["https://www.tcmb.gov.tr/kurlar/202404/01042024.xml"],
  hkma: [
    "https://api.hkma.gov.hk/public/market-data-and-statistics/monthly-statistical-bulletin/er-ir/er-eeri-daily?choose=end_of_day&from=2024-04-01&to=2024-06-30&offset=0&pagesize=100&sortby=end_of_day&sortorder=desc",
  ],
  bnm: "AED AUD BND CAD CHF CNY EGP EUR GBP HKD IDR INR JPY KHR KRW MMK NPR NZD PHP PKR SAR SDR SGD THB TWD USD VND"
    .split(" ")
    .map(
      (code) =>
        `https://api.bnm.gov.my/public/exchange-rate/${code}/year/2024/month/4?session=0900&quote=rm`,
    ),
  sarb: ["EXCX135D", "EXCZ001D", "EXCZ002D", "EXCB120D"].map(
    (series) =>
      `https://custom.resbank.co.za/SarbWebApi/WebIndicators/Shared/GetTimeseriesObservations/${series}/2024-04-01/2024-06-30`,
  ),
  bcb: "AUD CAD CHF DKK EUR GBP JPY NOK SEK USD"
    .split(" ")
    .map(
      (currency) =>
        `https://olinda.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata/CotacaoMoedaPeriodo(moeda=@moeda,dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)?@moeda='${currency}'&@dataInicial='04-01-2024'&@dataFinalCotacao='06-30-2024'&$filter=tipoBoletim%20eq%20'Fechamento'&$format=json`,
    ),
  banxico: [
    "https://www.banxico.org.mx/SieAPIRest/service/v1/series/SF43718,SF46410,SF46407,SF46406,SF60632/datos/2024-04-01/2024-06-30",
  ],
  imf: ["SDRCV", "CVSDR"].map(
    (table) =>
      `https://www.imf.org/external/np/fin/data/rms_mth.aspx?SelectDate=2024-04-30&reportType=${table}&tsvflag=Y`,
  ),
  hmrc: [
    "https://www.trade-tariff.service.gov.uk/uk/api/exchange_rates/files/monthly_csv_2024-4.csv",
  ],
  inforeuro: [
    "https://ec.europa.eu/budg/inforeuro/api/public/monthly-rates?lang=EN&year=2024&month=4",
  ],
  // Neither ends a year of a table.
  "hmrc-average": [],
  "hmrc-spot": [],
  "bazg-monthly": ["https://www.backend-rates.bazg.admin.ch/api/xmlavgmonth?j=2024&m=04"],
  // Easter Monday: nothing was set on the day before.
  bazg: [],
  nbe: ["https://api.nbe.gov.et/api/filter-exchange-rates?date=2024-04-01"],
  bcrp: [
    "https://estadisticas.bcrp.gob.pe/estadisticas/series/api/PD04639PD-PD04640PD/json/2024-04-01/2024-06-30/ing",
  ],
  cfets: [
    "https://www.chinamoney.com.cn/ags/ms/cm-u-bk-ccpr/CcprHisNew?startDate=2024-04-01&endDate=2024-06-30&currency=&pageNum=1&pageSize=50",
  ],
  bot: [
    "https://gateway.api.bot.or.th/Stat-ExchangeRate/v2/DAILY_AVG_EXG_RATE/?start_period=2024-04-01&end_period=2024-06-30",
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

test("China's and Thailand's archives are asked as their newest rates are", () => {
  for (const key of ["cfets", "bot"]) {
    const publisher = publisherOf(key);
    const [{ address: _, ...newest } = {}] = requestsOf(publisher, RECEIVED_MS, "abcd");
    const [{ address: __, ...earlier } = {}] = publisher.archive?.requests(DATES, "abcd") ?? [];
    assert.deepEqual(earlier, newest, key);
    assert.notDeepEqual(newest, {});
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

test("an archive is asked by POST where its publisher wants it, and with a token in a header", () => {
  const request = (key: string) => publisherOf(key).archive?.requests(DATES, "abcd")[0];
  assert.match(request("mnb")?.body ?? "", /<startDate>2024-04-01<.+\n<endDate>2024-06-30</);
  assert.match(
    request("cba")?.body ?? "",
    /<ExchangeRatesByDateRangeByISO xmlns="http:\/\/www\.cba\.am\/"><ISOCodes>USD,.+,NZD<\/ISOCodes><DateFrom>2024-04-01<\/DateFrom><DateTo>2024-06-30<\/DateTo></,
  );
  assert.match(request("cba")?.headers?.soapaction ?? "", /DateRangeByISO"$/);
  assert.deepEqual(request("banxico")?.headers, { "bmx-token": "abcd" });
  assert.doesNotMatch(request("banxico")?.address ?? "", /abcd/);
  assert.deepEqual(request("bnm")?.headers, { accept: "application/vnd.BNM.API.v1+json" });
});

test("an archive keeps series that ended, which the latest rates leave out", () => {
  assert.ok(figuresOf(parseRecorded("riksbank")).includes("CYP/SEK 16.1812"));
  const norges = figuresOf(parseRecorded("norges"));
  assert.ok(norges.includes("DKK/NOK 1.5032") && norges.includes("DKK/NOK 1.4920"));
  const rba = figuresOf(parseRecorded("rba"));
  assert.ok(rba.includes("AUD/USD 0.7038") && rba.includes("AUD/USD 0.7088"));
});

/** What archives have in a form of their own, cut down from recordings. */
const FORMS: Readonly<Record<string, readonly [body: string, figures: string, asOf: string]>> = {
  // lineofflight/frankfurter 60541ad1, spec/vcr_cassettes/cba.yml. A gram of gold is left out.
  cba: [
    `<soap:Envelope><soap:Body><ExchangeRatesByDateRangeByISOResponse>
<ExchangeRatesByDateRangeByISOResult><xs:schema/><diffgr:diffgram><DocumentElement>
<ExchangeRatesByRange><Rate>376.88</Rate><Amount>1</Amount><ISO>USD</ISO><Diff>-0.12</Diff>
<RateDate>2026-03-02T00:00:00+04:00</RateDate></ExchangeRatesByRange>
<ExchangeRatesByRange><Rate>0.028677</Rate><Amount>100</Amount><ISO>IRR</ISO><Diff>0.000079</Diff>
<RateDate>2026-03-18T00:00:00+04:00</RateDate></ExchangeRatesByRange>
<ExchangeRatesByRange><Rate>60871</Rate><Amount>1</Amount><ISO>XAU</ISO><Diff>255</Diff>
<RateDate>2026-03-18T00:00:00+04:00</RateDate></ExchangeRatesByRange>
</DocumentElement></diffgr:diffgram></ExchangeRatesByDateRangeByISOResult>
</ExchangeRatesByDateRangeByISOResponse></soap:Body></soap:Envelope>`,
    "USD/AMD 376.88, IRR/AMD 0.00028677",
    "2026-03-02T13:00, 2026-03-18T13:00",
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
