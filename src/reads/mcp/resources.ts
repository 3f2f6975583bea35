import {
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import {
  type Coverage,
  PAIRS_PER_PAGE_MAX,
  type PageOfPairs,
} from "../../rates/coverage/coverage.ts";
import { pairsJson, sourcesJson } from "../../rates/coverage/json.ts";
import { parsePairName, parseSymbol } from "../../rates/served/rules/symbol.ts";
import { CHARGED_TOOLS } from "./tools.ts";

const PAIRS = "kurs://pairs";
const SOURCES = "kurs://sources";

const NEXT_PAGE = `${PAIRS}{?after}`;

const MIME_TYPE = "application/json";

const CONTENT =
  "with their currencies' names, the key of their source, when it publishes next, and whether a " +
  `publication was missed. At most ${PAIRS_PER_PAGE_MAX.toLocaleString("en")}; unless next is ` +
  `null, read ${NEXT_PAGE} with it. No figures: get_rate reads one. Costs nothing.`;

/** Adds the resources: what exists, as GET /v1/account/pairs and /v1/account/sources list it. */
export function addResources(server: McpServer, coverage: Coverage): void {
  const about = (title: string, description: string) => ({
    title,
    description,
    mimeType: MIME_TYPE,
  });
  const pageAt = async (uri: string, page: Omit<PageOfPairs, "limit">) => {
    const { pairs, next } = await coverage.pairs({ ...page, limit: PAIRS_PER_PAGE_MAX });
    return contents(uri, pairsJson(pairs, next));
  };

  server.registerResource(
    "pairs",
    PAIRS,
    about("Pairs", `The pairs that ${CHARGED_TOOLS.join(" and ")} can read, ${CONTENT}`),
    () => pageAt(PAIRS, {}),
  );

  server.registerResource(
    "further-pairs",
    new ResourceTemplate(NEXT_PAGE, { list: undefined }),
    about("Pairs after one", `The pairs after one such as EUR/USD, ${CONTENT}`),
    (uri) => {
      const after = parsePairName(uri.searchParams.get("after") ?? "");
      if (after === undefined) throw new ResourceNotFoundError(uri.href);
      return pageAt(uri.href, { after });
    },
  );

  server.registerResource(
    "pairs-of-base",
    new ResourceTemplate(`${PAIRS}/{base}`, { list: undefined }),
    about("Pairs of one base", `The pairs with one base, such as ${PAIRS}/EUR, ${CONTENT}`),
    (uri, { base }) => {
      const symbol = typeof base === "string" ? parseSymbol(base) : undefined;
      if (symbol === undefined) throw new ResourceNotFoundError(uri.href);
      return pageAt(uri.href, { base: symbol });
    },
  );

  server.registerResource(
    "sources",
    SOURCES,
    about(
      "Sources of the pairs",
      "Who publishes the pairs, on which terms, and by which calendar. Costs nothing.",
    ),
    async () => contents(SOURCES, sourcesJson(await coverage.sources())),
  );
}

function contents(uri: string, body: object) {
  return { contents: [{ uri, mimeType: MIME_TYPE, text: JSON.stringify(body) }] };
}
