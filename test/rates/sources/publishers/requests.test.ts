import assert from "node:assert/strict";
import { test } from "node:test";
import { fundCurrencies } from "../../../../src/rates/sources/publishers/global/parsers.ts";
import { requestsOf } from "../../../../src/rates/sources/publishers/publisher.ts";
import {
  addressesOf,
  archiveAddressesOf,
  bodiesOf,
  figuresOf,
  momentsOf,
  parse,
  publisherOf,
  validityOf,
} from "./recorded.ts";

const months: readonly (readonly [key: string, now: string, end: string])[] = [
  ["bazg-monthly", "2026-07-31T21:59:59Z", "j=2026&m=07"],
  ["bazg-monthly", "2026-07-31T22:00:00Z", "j=2026&m=08"],
  ["bazg-monthly", "2026-12-31T23:00:00Z", "j=2027&m=01"],
  ["hmrc", "2026-08-31T22:59:59Z", "/monthly_csv_2026-8.csv"],
  ["hmrc", "2026-08-31T23:00:00Z", "/monthly_csv_2026-9.csv"],
  // The table of the next month is published in advance.
  ["hmrc", "2026-12-31T23:59:59Z", "/monthly_csv_2026-12.csv"],
  ["inforeuro", "2026-08-31T21:59:59Z", "?lang=EN&year=2026&month=8"],
  ["inforeuro", "2026-08-31T22:00:00Z", "?lang=EN&year=2026&month=9"],
];

for (const [key, now, end] of months) {
  test(`${key} is asked at ${now} for the month that has begun at its publisher: ${end}`, () => {
    const [address = ""] = addressesOf(key, Date.parse(now));
    assert.ok(address.endsWith(end), address);
  });
}

test("HMRC's averages and spot rates are asked for by the year that has ended, and dated with its end", () => {
  for (const [now, end, from, asOf] of [
    ["2026-03-30T22:59:59Z", "/average_csv_2025-12.csv", "2025-10-01", "2025-12-31T23:59"],
    ["2026-03-30T23:00:00Z", "/average_csv_2026-3.csv", "2026-01-01", "2026-03-31T22:59"],
    ["2026-12-30T23:59:59Z", "/average_csv_2026-3.csv", "2026-01-01", "2026-03-31T22:59"],
    ["2026-12-31T00:00:00Z", "/average_csv_2026-12.csv", "2026-10-01", "2026-12-31T23:59"],
  ] as const) {
    const nowMs = Date.parse(now);
    const [address = ""] = addressesOf("hmrc-average", nowMs);
    assert.ok(address.endsWith(end), address);
    const [first = ""] = momentsOf(parse("hmrc-average", bodiesOf("hmrc-average"), nowMs));
    assert.equal(first, `${asOf}:00.000000000Z`);
    const to = Temporal.Instant.from(first).toZonedDateTimeISO("Europe/London").toPlainDate();
    const dates = { from, to: to.toString() };
    assert.deepEqual(archiveAddressesOf("hmrc-average", dates), [address]);
    const spot = address.replace("average", "spot");
    assert.deepEqual(addressesOf("hmrc-spot", nowMs), [spot]);
    assert.deepEqual(archiveAddressesOf("hmrc-spot", dates), [spot]);
  }
});

test("InforEuro's rates are those of the month in their address, also in winter", () => {
  const winter = parse("inforeuro", bodiesOf("inforeuro"), Date.parse("2027-02-03T10:00:00Z"));
  assert.deepEqual(momentsOf(winter), ["2027-01-31T23:00:00.000000000Z"]);
  assert.deepEqual(validityOf(winter), ["2027-02-01 to 2027-02-28"]);
});

test("Banca d'Italia is asked for the last two working days of TARGET, and for each of its archive", () => {
  const dates = (now: string) =>
    addressesOf("bdi", Date.parse(now)).map((address) => new URL(address).searchParams);
  const days = (now: string) => dates(now).map((query) => query.get("referenceDate"));
  assert.deepEqual(days("2026-03-13T22:59:59Z"), ["2026-03-12", "2026-03-13"]);
  // Easter Sunday and, in Rome, Easter Monday; Good Friday is closed, too.
  assert.deepEqual(days("2026-04-05T22:00:00Z"), ["2026-04-01", "2026-04-02"]);
  assert.deepEqual(days("2026-04-07T10:00:00Z"), ["2026-04-02", "2026-04-07"]);
  const [query] = dates("2026-03-13T12:00:00Z");
  assert.equal(query?.get("currencyIsoCode"), "EUR");
  const asked = (from: string) => archiveAddressesOf("bdi", { from, to: from });
  assert.match(asked("2024-04-02")[0] ?? "", /\?referenceDate=2024-04-02&currencyIsoCode=EUR&/);
  assert.deepEqual([asked("2024-04-01"), asked("2024-04-06")], [[], []]);
});

test("Bosnia's list is asked for by its date, which is the next one, Azerbaijan's by that of the day", () => {
  const saturday = addressesOf("cbbh", Date.parse("2026-12-04T15:15:00Z"));
  assert.match(saturday[0] ?? "", /\/GetJson\?date=12\/05\/2026%2000:00:00$/);
  // It is the next day in Baku.
  const [address] = addressesOf("cbar", Date.parse("2026-12-04T20:00:00Z"));
  assert.equal(address, "https://www.cbar.az/currencies/05.12.2026.xml");
});

test("the token of the Bank of Mexico is in a header, not in the address", () => {
  const [request] = requestsOf(publisherOf("banxico"), Date.parse("2026-03-14T05:59:59Z"), "abcd");
  assert.deepEqual(request?.headers, { "bmx-token": "abcd" });
  assert.match(
    request.address,
    /\/SF43718,SF46410,SF46407,SF46406,SF60632\/datos\/2026-03-03\/2026-03-13$/,
  );
});

test("Bank Al-Maghrib is asked for the last two weekdays, its token in a header", () => {
  const requests = requestsOf(publisherOf("bam"), Date.parse("2026-03-15T12:00:00Z"), "abcd");
  const days = requests.map(({ address }) => new URL(address).searchParams.get("date"));
  assert.deepEqual(days, ["2026-03-12T12:30:00", "2026-03-13T12:30:00"]);
  for (const { headers } of requests) {
    assert.deepEqual(headers, { "ocp-apim-subscription-key": "abcd" });
  }
  const monday = addressesOf("bam", Date.parse("2026-03-16T12:00:00Z"));
  assert.match(monday.join(" "), /=2026-03-13T12:30:00 .+=2026-03-16T12:30:00$/);
});

test("the Bank of Japan is asked for the months of ten days, also in January", () => {
  const [address] = addressesOf("boj", Date.parse("2027-01-04T02:00:00Z"));
  assert.match(address ?? "", /&startDate=202612&endDate=202701$/);
});

test("the token of the Bank of Thailand is in a header, not in the address", () => {
  const [request] = requestsOf(publisherOf("bot"), Date.parse("2026-03-13T17:00:00Z"), "abcd");
  assert.deepEqual(request?.headers, { authorization: "abcd", accept: "application/json" });
  assert.match(request.address, /\/\?start_period=2026-03-04&end_period=2026-03-14$/);
});

test("the Central Bank of Chile's user and password are not in the address", () => {
  const token = "me@example.org:a:b&c";
  const requests = requestsOf(publisherOf("bcch"), Date.parse("2026-03-14T02:59:59Z"), token);
  assert.equal(requests.length, 8);
  for (const { address, credentials } of requests) {
    assert.match(address, /timeseries=F07[\w.]+&firstdate=2026-03-03&lastdate=2026-03-13$/);
    assert.doesNotMatch(address, /user|pass|example/);
    assert.deepEqual(credentials, { user: "me@example.org", pass: "a:b&c" });
  }
});

test("the National Bank of Ethiopia is asked for its last two working days", () => {
  const datesAt = (now: string) => addressesOf("nbe", Date.parse(now)).map((at) => at.slice(-10));
  assert.deepEqual(datesAt("2026-03-12T20:59:59Z"), ["2026-03-11", "2026-03-12"]);
  assert.deepEqual(datesAt("2026-03-12T21:00:00Z"), ["2026-03-12", "2026-03-13"]);
  // A Monday after Orthodox Good Friday, and a Sunday.
  assert.deepEqual(datesAt("2026-04-13T10:00:00Z"), ["2026-04-09", "2026-04-13"]);
  assert.deepEqual(datesAt("2026-04-12T10:00:00Z"), ["2026-04-08", "2026-04-09"]);
});

test("the Central Bank of Turkmenistan is asked for no Sunday and no holiday", () => {
  for (const [now, end] of [
    ["2026-05-22T18:59:59Z", "/kurs/2026/22052026.xml"],
    ["2026-05-24T18:59:59Z", "/kurs/2026/23052026.xml"],
    ["2026-05-17T19:00:00Z", "/kurs/2026/16052026.xml"],
  ] as const) {
    assert.deepEqual(addressesOf("cbt", Date.parse(now)), [`https://cbt.tm${end}`]);
  }
});

test("the Banky Foiben'i Madagasikara is asked by POST, with the currency as the address's fragment", () => {
  const [euro, dollar] = requestsOf(publisherOf("bfm"), Date.parse("2026-09-23T20:59:59Z"), "");
  assert.match(euro?.address ?? "", /\/bfm\/cours_mid_en_ar_filter#EUR$/);
  assert.equal(
    dollar?.body,
    "dateFilterDebut=2026%2F09%2F13&dateFilterFin=2026%2F09%2F23&filterData=USD",
  );
});

test("Singapore's form has the months of ten days and every currency", () => {
  const [request] = requestsOf(publisherOf("mas"), Date.parse("2027-01-04T02:00:00Z"), "");
  const form = new Map(Object.entries(request?.form ?? {}));
  const chosenIn = (name: string) => form.get(`ctl00$ContentPlaceHolder1$${name}`);
  const names = ["StartYear", "StartMonth", "EndYear", "EndMonth", "Frequency"];
  const chosen = names.map((name) => chosenIn(`${name}DropDownList`));
  assert.deepEqual(chosen, ["2026", "12", "2027", "1", "D"]);
  assert.equal([...form.values()].filter((value) => value === "on").length, 21);
  assert.equal(chosenIn("EndOfPeriodPer100UnitsCheckBoxList$17"), "on");
});

test("the Bank for International Settlements is asked for CSV of two months", () => {
  const [request] = requestsOf(publisherOf("bis"), Date.parse("2026-12-31T23:00:00Z"), "");
  assert.match(request?.address ?? "", /%5BTIME_PERIOD%5D=ge:2026-12%2Ble:2027-01$/);
  assert.deepEqual(request?.headers, { accept: "application/vnd.sdmx.data+csv;version=1.0.0" });
});

test("the MNB is asked by SOAP for a week of days until today, by its own calendar", () => {
  const [request] = requestsOf(publisherOf("mnb"), Date.parse("2026-03-31T22:30:00Z"), "");
  assert.equal(request?.address, "https://www.mnb.hu/arfolyamok.asmx");
  assert.equal(request.headers?.["content-type"], "text/xml; charset=utf-8");
  assert.match(request.headers.soapaction ?? "", /GetExchangeRates$/);
  assert.match(request.body ?? "", /<startDate>2026-03-25<.+\n<endDate>2026-04-01</);
});

test("PTAX is asked for a week of days until today in Brasília; each rate names its document", () => {
  const [address] = addressesOf("bcb", Date.parse("2027-01-04T02:59:59Z"));
  assert.match(address ?? "", /&@dataInicial='12-27-2026'&@dataFinalCotacao='01-03-2027'&/);
  const places = parse("bcb").map(({ place }) => place);
  assert.deepEqual(
    places,
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((place) => [place, place]),
  );
});

test("the columns of a table may be in another order and among others", () => {
  const csv = 'OBS_VALUE,UNIT_MULT,"NOTE",TIME_PERIOD,QUOTE_CUR,BASE_CUR\r\n';
  const lines = parse("norges", [`${csv}149.20,2,"a, b",2026-03-13,NOK,DKK\r\n`]);
  assert.deepEqual(figuresOf(lines), ["DKK/NOK 1.4920"]);
});

test("the Turkish file is read in UTF-8 as well: only the Turkish names differ", () => {
  const lines = parse("tcmb", [
    `<?xml version="1.0" encoding="UTF-8"?><Tarih_Date Tarih="15.01.2026">
    <Currency CurrencyCode="GBP"><Unit>1</Unit><Isim>İNGİLİZ STERLİNİ</Isim>
    <ForexBuying>57.9</ForexBuying><ForexSelling>58.1</ForexSelling></Currency></Tarih_Date>`,
  ]);
  assert.deepEqual(figuresOf(lines), ["GBP/TRY 57.9 buying", "GBP/TRY 58.1 selling"]);
});

test("the Fund's names are those of different ISO 4217 currencies", () => {
  const codes = [...fundCurrencies.values()];
  const known = new Set(Intl.supportedValuesOf("currency"));
  assert.deepEqual(
    codes.filter((code) => !known.has(code)),
    [],
  );
  assert.equal(new Set(codes).size, codes.length);
});
