import {
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import type { CoveredPair, CoveredSource } from "../rates/coverage.ts";
import { openingText, pairsText } from "../rates/coverage-json.ts";
import { FIRST_PAIRS_MAX, type Listings } from "../rates/listing.ts";
import { parseSymbol } from "../rates/rules/symbol.ts";

const PAIRS = "kurs://pairs";

const TEMPLATE = `${PAIRS}/{base}`;

const MIME_TYPE = "application/json";

const CONTENT =
  "with their currencies' names and their sources: who publishes them, on which terms, when " +
  "next, and whether a publication was missed. No figures: get_rate reads one. Costs nothing.";

/** Adds the resources: what exists, as GET /v1/account/pairs lists it, up to 1,000 pairs. */
export function addResources(server: McpServer, listings: Listings): void {
  server.registerResource(
    "pairs",
    PAIRS,
    {
      title: "Pairs",
      description: `The pairs that get_rate and convert_currency can read, ${CONTENT}`,
      mimeType: MIME_TYPE,
    },
    async () => {
      const listing = await listings.current();
      listing.release();
      return contents(PAIRS, textOf(listing.sources, listing.first, listing.isLonger, HINT));
    },
  );

  server.registerResource(
    "pairs-of-base",
    new ResourceTemplate(TEMPLATE, { list: undefined }),
    {
      title: "Pairs of one base",
      description: `The pairs with one base, such as ${PAIRS}/EUR, ${CONTENT}`,
      mimeType: MIME_TYPE,
    },
    async (uri, { base }) => {
      const symbol = typeof base === "string" ? parseSymbol(base) : undefined;
      if (symbol === undefined) throw new ResourceNotFoundError(uri.href);
      const { sources, pairs, isLonger } = await listings.ofBase(symbol);
      return contents(uri.href, textOf(sources, pairs, isLonger, HINT_OF_BASE));
    },
  );
}

const HINT = `Only the first ${FIRST_PAIRS_MAX} pairs. Read ${TEMPLATE} for those of one base.`;

const HINT_OF_BASE = `Only the first ${FIRST_PAIRS_MAX} pairs of this base.`;

function textOf(
  sources: readonly CoveredSource[],
  pairs: readonly CoveredPair[],
  isLonger: boolean,
  hint: string,
): string {
  const ending = isLonger ? `],"truncated":true,"hint":${JSON.stringify(hint)}}` : "]}";
  return `${openingText(sources)}${pairsText(pairs)}${ending}`;
}

function contents(uri: string, text: string) {
  return { contents: [{ uri, mimeType: MIME_TYPE, text }] };
}
