import type { Entry } from "../publisher.ts";
import { parseKraken } from "./kraken.ts";

/** Publishers of no region. */
export const globalPublishers: readonly Entry[] = [
  {
    key: "kraken",
    name: "Kraken",
    country: "US",
    terms: "The terms of Kraken apply; check them before passing the figures on.",
    termsUrl: "https://www.kraken.com/legal",
    addresses: [
      "https://api.kraken.com/0/public/AssetPairs",
      "https://api.kraken.com/0/public/Ticker",
    ],
    schedule: { everySeconds: 30 },
    publishedAt: undefined,
    onByDefault: false,
    parse: parseKraken,
  },
];
