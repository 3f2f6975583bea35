import assert from "node:assert/strict";
import { test } from "node:test";
import { latestAsOf, parseQuotation } from "../../../src/rates/rules/rate.ts";
import { fc } from "../../support/properties.ts";
import { parse, RECEIVED_MS } from "./recorded.ts";

/** For each publisher a body with one rate, and how many places its point is moved. */
const answers: readonly (readonly [
  key: string,
  places: number,
  bodies: (figure: string) => readonly string[],
])[] = [
  ["ecb", 0, (f) => [`<E><Cube time="2026-03-13"><Cube currency="USD" rate="${f}"/></Cube></E>`]],
  ["ust", 0, (f) => [`{"data":[${treasuryRow(f)}]}`]],
  ["cnb", 0, (f) => [cnbAnswer(f, 1)]],
  ["cnb", 3, (f) => [cnbAnswer(f, 1000)]],
  ["nbp", 0, (f) => [nbpTable("HUF", f), nbpTable("PAB", "3.6770")]],
  ["norges", 0, (f) => [norgesTable(f, 0)]],
  ["norges", 2, (f) => [norgesTable(f, 2)]],
  ["boc", 0, (f) => [`{"observations":[{"d":"2026-03-13","FXUSDCAD":{"v":"${f}"}}]}`]],
  ["riksbank", 0, (f) => [`[{"seriesId":"SEKUSDPMI","date":"2026-03-13","value":${f}}]`]],
  ["cbr", 0, (f) => [cbrDocument(f, 1)]],
  ["cbr", 4, (f) => [cbrDocument(f, 10_000)]],
  ["kraken", 0, krakenAnswers],
  ["bnr", 2, (f) => [bnrDocument(f)]],
  ["dnb", 2, (f) => [dnbDocument(f)]],
  ["nbg", 1, (f) => [nbgAnswer(f)]],
  ["rba", 0, (f) => [`Units,USD\nSeries ID,FXRUSD\n13-Mar-2026,${f}\n`]],
  ["nbkr", 1, (f) => [nbkrTable("UZS", f, 10), nbkrTable("USD", "87.4500", 1)]],
  ["sfc", 0, (f) => [sfcAnswer(f)]],
  ["snb", 0, (f) => [snbFeed(f, "1")]],
  ["snb", 2, (f) => [snbFeed(f, "-2")]],
  ["nbrb", 5, (f) => [nbrbAnswer(f)]],
  ["sbi", 0, (f) => [sbiGroup(f), sbiGroup("124.710000")]],
  ["nbu", 1, (f) => [nbuAnswer(f)]],
  ["cbu", 1, (f) => [cbuAnswer(f)]],
  ["bcra", 3, (f) => [bcraAnswer(f)]],
  ["hkma", 0, (f) => [`{"result":{"records":[{"end_of_day":"2026-03-13","usd":${f}}]}}`]],
  ["amcm", 2, (f) => [amcmAnswer(f)]],
  ["hnb", 0, (f) => [hnbAnswer(f)]],
  ["bnm", 2, (f) => [bnmAnswer(f)]],
  ["nbk", 3, (f) => [nbkFeed(f)]],
  ["nbm", 2, (f) => [nbmDocument(f)]],
  ["nbrm", 0, (f) => [nbrmAnswer(f)]],
  ["cba", 1, (f) => [cbaEnvelope(f)]],
  ["sarb", 0, (f) => [f, "1", "1", "1"].map(sarbSeries)],
  ["mnb", 2, (f) => [mnbEnvelope(f)]],
  ["bazg", 4, (f) => [bazgDocument(f)]],
  ["tcmb", 2, (f) => [tcmbDocument(f)]],
  ["bcb", 0, (f) => Array.from({ length: 10 }, () => bcbAnswer(f))],
  ["banxico", 0, (f) => [banxicoAnswer(f)]],
  ["imf", 0, (f) => [fundTable(f)]],
  ["hmrc", 0, (f) => [hmrcTable(f)]],
  ["inforeuro", 0, (f) => [`[{"isoA3Code":"IDR","value":${f}}]`]],
];

const wholes = fc.oneof(fc.constant("0"), fc.stringMatching(/^[1-9][0-9]{0,12}$/));
const fractions = fc.oneof(fc.constant(""), fc.stringMatching(/^[0-9]{1,20}$/));
const figures = fc
  .tuple(wholes, fractions)
  .map(([whole, fraction]) => (fraction === "" ? whole : `${whole}.${fraction}`))
  .filter((figure) => /[1-9]/.test(figure));

for (const [key, places, bodies] of answers) {
  test(`${key}, point moved by ${places}: any decimal keeps every digit`, () => {
    fc.assert(
      fc.property(figures, (figure) => {
        const [line] = parse(key, bodies(figure));
        assert.ok(line !== undefined && "rate" in line);
        if (places === 0) assert.equal(line.rate, figure);
        assert.equal(significant(line.rate), significant(figure));
        assert.equal(decimalsOf(line.rate), decimalsOf(figure) + places);
        const parsed = parseQuotation(line, latestAsOf(RECEIVED_MS));
        assert.ok("rate" in parsed && parsed.rate === line.rate, JSON.stringify(parsed));
      }),
    );
  });
}

test("an exponent is written out and keeps the trailing zeros", () => {
  const written = (key: string, bodies: readonly string[]) => {
    const [line] = parse(key, bodies);
    assert.ok(line !== undefined && "rate" in line);
    const parsed = parseQuotation(line, latestAsOf(RECEIVED_MS));
    return "rate" in parsed ? parsed.rate : parsed.reason;
  };
  const body = '[{"seriesId":"SEKIDRPMI","date":"2026-03-13","value":5.60E-4}]';
  assert.equal(written("riksbank", [body]), "0.000560");
  assert.equal(written("cnb", [cnbAnswer("1.230e1", 1000)]), "0.01230");
});

/** The digits without the point and the leading zeros. */
function significant(figure: string): string {
  return figure.replace(".", "").replace(/^0+/, "");
}

function decimalsOf(figure: string): number {
  return figure.split(".")[1]?.length ?? 0;
}

function treasuryRow(figure: string): string {
  const dates = '"record_date":"2026-03-31","effective_date":"2026-03-31"';
  return `{${dates},"country_currency_desc":"Mexico-Peso","exchange_rate":"${figure}"}`;
}

function cnbAnswer(figure: string, amount: number): string {
  const of = `"validFor":"2026-03-13","currencyCode":"IDR","amount":${amount}`;
  return `{"rates":[{${of},"rate":${figure}}]}`;
}

function nbpTable(code: string, figure: string): string {
  return `[{"effectiveDate":"2026-03-13","rates":[{"code":"${code}","mid":${figure}}]}]`;
}

function norgesTable(figure: string, unitMultiplier: number): string {
  const header = "BASE_CUR,QUOTE_CUR,UNIT_MULT,TIME_PERIOD,OBS_VALUE";
  return `${header}\nDKK,NOK,${unitMultiplier},2026-03-13,${figure}\n`;
}

function cbrDocument(figure: string, nominal: number): string {
  const value = figure.replace(".", ",");
  const valute = `<CharCode>UZS</CharCode><Nominal>${nominal}</Nominal><Value>${value}</Value>`;
  return `<ValCurs Date="14.03.2026"><Valute>${valute}</Valute></ValCurs>`;
}

function bnrDocument(figure: string): string {
  const rate = `<Rate currency="HUF" multiplier="100">${figure}</Rate>`;
  const body = `<OrigCurrency>RON</OrigCurrency><Cube date="2026-03-13">${rate}</Cube>`;
  return `<DataSet><Body>${body}</Body></DataSet>`;
}

function dnbDocument(figure: string): string {
  const day = `<dailyrates id="2026-03-13"><currency rate="${figure}" code="JPY"/></dailyrates>`;
  return `<exchangerates refcur="DKK">${day}</exchangerates>`;
}

function nbgAnswer(figure: string): string {
  const of = '"code":"AED","quantity":10,"validFromDate":"2026-03-13T00:00:00.000Z"';
  return `[{"currencies":[{${of},"rate":${figure}}]}]`;
}

function nbkrTable(code: string, figure: string, nominal: number): string {
  const of = `<Nominal>${nominal}</Nominal><Value>${figure.replace(".", ",")}</Value>`;
  const row = `<Currency ISOCode="${code}">${of}</Currency>`;
  return `<CurrencyRates Date="14.03.2026">${row}</CurrencyRates>`;
}

function sfcAnswer(figure: string): string {
  return `[{"valor":"${figure}","unidad":"COP","vigenciadesde":"2026-03-13T00:00:00.000"}]`;
}

function snbFeed(figure: string, unitMultiplier: string): string {
  const of = `<cb:unit>CHF</cb:unit><cb:unit_mult>${unitMultiplier}</cb:unit_mult>`;
  const observation = `<cb:observation><cb:value>${figure}</cb:value>${of}</cb:observation>`;
  const period = "<cb:observationPeriod><cb:period>2026-03-13</cb:period></cb:observationPeriod>";
  const rate = `${observation}<cb:targetCurrency>JPY</cb:targetCurrency>${period}`;
  const item = `<cb:statistics><cb:exchangeRate>${rate}</cb:exchangeRate></cb:statistics>`;
  return `<rss><channel><item>${item}</item></channel></rss>`;
}

function nbrbAnswer(figure: string): string {
  const of = '"Date":"2026-03-13T00:00:00","Cur_Abbreviation":"VND","Cur_Scale":100000';
  return `[{${of},"Cur_OfficialRate":${figure}}]`;
}

function sbiGroup(figure: string): string {
  const entry = `<Entry><Date>3/13/2026 12:00:00 AM</Date><Value>${figure}</Value></Entry>`;
  const series = `<TimeSeriesData>${entry}</TimeSeriesData>`;
  return `<Group ID="7"><TimeSeries ID="42">${series}</TimeSeries></Group>`;
}

function nbuAnswer(figure: string): string {
  const of = '"exchangedate":"13.03.2026","cc":"JPY","units":10';
  return `[{${of},"rate":${figure}}]`;
}

function cbuAnswer(figure: string): string {
  return `[{"Ccy":"VND","Nominal":"10","Rate":"${figure}","Date":"13.03.2026"}]`;
}

function bcraAnswer(figure: string): string {
  const of = '"codigoMoneda":"VND","descripcion":"DONG VIETNAM (C/1.000 UNIDADES)"';
  const rows = `"detalle":[{${of},"tipoCotizacion":${figure}}]`;
  return `{"results":{"fecha":"2026-03-13",${rows}}}`;
}

function hnbAnswer(figure: string): string {
  const of =
    '"datum_primjene":"2026-03-13","valuta":"USD","kupovni_tecaj":"1","prodajni_tecaj":"1"';
  return `[{${of},"srednji_tecaj":"${figure.replace(".", ",")}"}]`;
}

function bnmAnswer(figure: string): string {
  const rates = `"middle_rate":${figure},"buying_rate":null,"selling_rate":null`;
  return `{"data":[{"currency_code":"JPY","unit":100,"rate":{"date":"2026-03-13",${rates}}}]}`;
}

function amcmAnswer(figure: string): string {
  const of = '"date":"2026-03-13 00:00:00","currency":"JPY","unit":100.0';
  return `{"data":[{${of},"usdMean":"${figure}"}]}`;
}

function nbkFeed(figure: string): string {
  const of = `<title>IRR</title><description>${figure}</description><quant>1000</quant>`;
  return `<rates><date>13.03.2026</date><item>${of}</item></rates>`;
}

function nbmDocument(figure: string): string {
  const of = `<CharCode>UZS</CharCode><Nominal>100</Nominal><Value>${figure}</Value>`;
  return `<ValCurs Date="13.03.2026"><Valute>${of}</Valute></ValCurs>`;
}

function nbrmAnswer(figure: string): string {
  return `[{"oznaka":"JPY","nomin":1,"sreden":${figure},"datum":"2026-03-13T00:00:00"}]`;
}

function cbaEnvelope(figure: string): string {
  const of = `<ISO>UZS</ISO><Amount>10</Amount><Rate>${figure}</Rate>`;
  const rates = `<Rates><ExchangeRate>${of}</ExchangeRate></Rates>`;
  const result = `<CurrentDate>2026-03-13T00:00:00</CurrentDate>${rates}`;
  const latest = `<ExchangeRatesLatestResult>${result}</ExchangeRatesLatestResult>`;
  const response = `<ExchangeRatesLatestResponse>${latest}</ExchangeRatesLatestResponse>`;
  return `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>${response}</soap:Body></soap:Envelope>`;
}

function sarbSeries(figure: string, place: number): string {
  const name = [
    "Rand per US Dollar",
    "Rand per British Pound",
    "Rand per Euro",
    "Japan: Yen per Rand",
  ][place];
  return `[{"Period":"2026-03-13T00:00:00","Timeseries":"${name}","Value":${figure}}]`;
}

function krakenAnswers(figure: string): readonly string[] {
  const pairs = '{"error":[],"result":{"PEPEUSD":{"wsname":"PEPE/USD","status":"online"}}}';
  return [pairs, `{"error":[],"result":{"PEPEUSD":{"c":["${figure}","1"]}}}`];
}

function mnbEnvelope(figure: string): string {
  const rate = `<Rate unit="100" curr="IDR">${figure.replace(".", ",")}</Rate>`;
  const inner = `<MNBExchangeRates><Day date="2026-03-13">${rate}</Day></MNBExchangeRates>`;
  const result = `<GetExchangeRatesResult>${inner.replaceAll("<", "&lt;")}</GetExchangeRatesResult>`;
  const body = `<GetExchangeRatesResponse>${result}</GetExchangeRatesResponse>`;
  return `<s:Envelope xmlns:s="s"><s:Body>${body}</s:Body></s:Envelope>`;
}

function bazgDocument(figure: string): string {
  const devise = `<devise><waehrung>10000 IDR</waehrung><kurs>${figure}</kurs></devise>`;
  return `<wechselkurse><gueltigkeit>13.03.2026</gueltigkeit>${devise}</wechselkurse>`;
}

function tcmbDocument(figure: string): string {
  const rates = `<Unit>100</Unit><ForexBuying>${figure}</ForexBuying><ForexSelling/>`;
  const currency = `<Currency CurrencyCode="JPY">${rates}</Currency>`;
  return `<Tarih_Date Tarih="13.03.2026">${currency}</Tarih_Date>`;
}

function bcbAnswer(figure: string): string {
  const rates = `"cotacaoCompra":${figure},"cotacaoVenda":${figure}`;
  return `{"value":[{${rates},"dataHoraCotacao":"2026-03-13 13:10:27.63"}]}`;
}

function banxicoAnswer(figure: string): string {
  const datos = `[{"fecha":"13/03/2026","dato":"${figure}"}]`;
  return `{"bmx":{"series":[{"idSerie":"SF43718","datos":${datos}}]}}`;
}

function fundTable(figure: string): string {
  const note = "of each national currency, rounded to six significant digits.";
  return `Currency units per SDR(3)\n\nCurrency\tMarch 13, 2026\nEuro\t${figure}\n\n${note}`;
}

function hmrcTable(figure: string): string {
  const header = "Currency Code,Currency Units per £1,Start date,End date";
  return `${header}\nIDR,${figure},01/03/2026,31/03/2026\n`;
}
