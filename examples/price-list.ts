// Writes the price list of every product in every currency, with one read for each pair. For cron:
//   KURS_URL=… KURS_API_KEY=… node price-list.ts price-list.json price-list.csv
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { createClient, type Precision, times } from "@kurs/client";

interface Catalogue {
  /** The currency of the prices. */
  readonly base: string;
  /** The currencies to convert to, each with its rounding. */
  readonly currencies: Readonly<Record<string, Precision>>;
  readonly products: readonly { readonly sku: string; readonly price: string }[];
}

const { KURS_URL: url, KURS_API_KEY: apiKey } = process.env;
const [input, output] = process.argv.slice(2);
if (url === undefined || apiKey === undefined || input === undefined || output === undefined) {
  console.error("usage: KURS_URL=… KURS_API_KEY=… node price-list.ts PRICES.json PRICE-LIST.csv");
  process.exit(2);
}

try {
  const catalogue = parseCatalogue(await readFile(input, "utf8"));
  const { base, currencies, products } = catalogue;
  // At night there is time: the client repeats what the service rejected without a charge.
  const kurs = createClient({ url, apiKey, maxMissed: 3, timeoutMs: 60_000 });
  const rows = ["sku,currency,price,rate,as_of,source"];
  for (const [currency, precision] of Object.entries(currencies)) {
    const { data, error, response } = await kurs.rates.get(base, currency);
    // A list with an old rate is better than none, but somebody must know.
    const rate = data ?? (error.code === "client:stale" ? error.rate : undefined);
    if (rate === undefined) throw new Error(`${base}/${currency}: ${error?.message}`);
    if (error !== undefined) console.error(`price-list: warning: ${error.message}`);
    const [source = ""] = (response?.headers.get("rate-source") ?? "").split(";");
    for (const { sku, price } of products) {
      const converted = times(price, rate.rate, precision);
      rows.push([sku, currency, converted, rate.rate, rate.as_of, source].map(cell).join(","));
    }
  }
  await replace(output, `${rows.join("\n")}\n`);
} catch (error) {
  console.error(`price-list: ${error instanceof Error ? error.message : error}`);
  console.error(`price-list: ${output} is unchanged.`);
  process.exitCode = 1;
}

/** @throws {Error} for a text that is no catalogue, before any read costs a unit. */
function parseCatalogue(text: string): Catalogue {
  const catalogue = JSON.parse(text) as Catalogue;
  for (const precision of Object.values(catalogue.currencies)) {
    for (const { price } of catalogue.products) times(price, "1", precision);
  }
  return catalogue;
}

/** Quotes a value where CSV (RFC 4180) requires it. */
function cell(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Replaces a file in one step: readers see the old one or the new one, whole. */
async function replace(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.new`;
  try {
    await writeFile(unfinished, text, { flush: true });
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}
