// Prints src/rates/served/rules/known-symbols.ts: the symbols of which an import does not warn. A test
// compares the two. After an update of Node.js or of the package, write the file again:
// `node scripts/run.js scripts/list-known-symbols.js > src/rates/served/rules/known-symbols.ts`
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tokens } from "@web3icons/common/metadata";

/** Of the cryptocurrencies, the first ones by market capitalization. */
const RANK_MAX = 1000;

/** The cryptocurrencies that get a name: many others share a symbol with a smaller one. */
const NAMED = `
  AAVE ADA ALGO APT ARB ATOM AVAX BCH BNB BSV CRO DAI DASH DOGE DOT EGLD EOS ETC ETH FIL FLOW GRT
  HBAR ICP IMX INJ KAS LDO LINK LTC MANA MATIC MKR MNT NEAR OP PEPE QNT SAND SEI SHIB SNX SOL STX
  SUI TAO THETA TIA TON TRX UNI USDC USDT VET WBTC XEC XLM XMR XRP XTZ ZEC`;

/** The names of those that the package lacks, or whose rank it lacks. */
const NAMES_NOT_IN_PACKAGE = [
  ["BTC", "Bitcoin"],
  ["XBT", "Bitcoin"],
];

/**
 * Codes of ISO 4217 that Unicode CLDR does not name: XAD of list one (amendment 179, May 2025), and
 * those withdrawn before 1990 and a few later ones of list three.
 */
const CODES_NOT_IN_CLDR =
  "ARY AYM BGJ BGK CHC CSJ GHP GNE LAJ LSM MVQ PEH ROK UGW UYN VNC XAD ZWC ZWN";

/** Common cryptocurrencies that the package lacks, or whose rank it lacks, as of November 2026. */
const CODES_NOT_IN_PACKAGE = `
  ASTER BERA BGB BLAST BONK BTC BUSD DYM EIGEN ENA ETHFI FLOKI JTO JUP KAIA MIOTA MORPHO MOVE NOT
  ONDO PENGU PI PUMP RENDER SKY SPX STETH TRUMP USD1 USDS VIRTUAL WIF WLD WLFI XBT ZK ZRO`;

const COLUMNS_MAX = 100;

/** Every code of three letters that Unicode CLDR, as Node.js has it, names: withdrawn ones, too. */
function codesOfCldr() {
  const names = new Intl.DisplayNames("en", { type: "currency", fallback: "none" });
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  return letters
    .flatMap((first) => letters.flatMap((second) => letters.map((third) => first + second + third)))
    .filter((code) => names.of(code) !== undefined);
}

function codesOfCryptocurrencies() {
  return tokens
    .filter(({ marketCapRank: rank }) => rank != null && rank <= RANK_MAX)
    .map(({ symbol }) => symbol.toUpperCase())
    .filter((code) => /^[A-Z0-9]{2,10}$/.test(code));
}

/** The names of well-known cryptocurrencies whose symbol no other one of the package has. */
function namesOfCryptocurrencies() {
  const bySymbol = Map.groupBy(tokens, ({ symbol }) => symbol.toUpperCase());
  const unambiguous = NAMED.trim()
    .split(/\s+/)
    .flatMap((symbol) => {
      const [token, other] = bySymbol.get(symbol) ?? [];
      return token !== undefined && other === undefined ? [[symbol, token.name.trim()]] : [];
    });
  return [...unambiguous, ...NAMES_NOT_IN_PACKAGE].map(([symbol, name]) => `${symbol} ${name}`);
}

/**
 * Sorts items, keeps each once and breaks them into lines.
 *
 * @param {readonly string[]} items
 * @param {string} [separator]
 */
function linesOf(items, separator = "") {
  const lines = [" "];
  const sorted = [...new Set(items)].sort();
  for (const [index, item] of sorted.entries()) {
    const text = index < sorted.length - 1 ? `${item}${separator}` : item;
    const line = `${lines.at(-1)} ${text}`;
    if (line.length > COLUMNS_MAX) lines.push(`  ${text}`);
    else lines[lines.length - 1] = line;
  }
  return lines.join("\n");
}

const manifest = join(import.meta.dirname, "../node_modules/@web3icons/common/package.json");
const { version } = JSON.parse(readFileSync(manifest, "utf8"));
const currencies = [...codesOfCldr(), ...CODES_NOT_IN_CLDR.split(" ")];
const isCurrency = new Set(currencies);
const cryptocurrencies = [
  ...codesOfCryptocurrencies(),
  ...CODES_NOT_IN_PACKAGE.trim().split(/\s+/),
].filter((code) => !isCurrency.has(code));

process.stdout.write(`// Written by scripts/list-known-symbols.js.

/** ISO 4217, current and withdrawn, by Unicode CLDR ${process.versions.cldr} and ISO's own lists of May 2025. */
const CURRENCIES = \`
${linesOf(currencies)}\`;

/** The first ${RANK_MAX} by market capitalization that @web3icons/common ${version} has, and a few more. */
const CRYPTOCURRENCIES = \`
${linesOf(cryptocurrencies)}\`;

/** The symbols of currencies, precious metals, funds and common cryptocurrencies. */
export const knownSymbols: ReadonlySet<string> = new Set(
  \`\${CURRENCIES}\${CRYPTOCURRENCIES}\`.trim().split(/\\s+/),
);

const CRYPTOCURRENCY_NAMES = \`
${linesOf(namesOfCryptocurrencies(), ",")}\`;

/** The names of common cryptocurrencies by their symbols. */
export const cryptocurrencyNames: ReadonlyMap<string, string> = new Map(
  CRYPTOCURRENCY_NAMES.trim()
    .split(/,\\s+/)
    .map((item) => {
      const [symbol = "", ...words] = item.split(" ");
      return [symbol, words.join(" ")];
    }),
);
`);
