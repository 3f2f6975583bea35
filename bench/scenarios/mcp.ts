import type { Row, Table } from "../figures.ts";
import { API_KEY, type LoadRequest } from "../load/requests.ts";
import type { Scenario } from "../scenario.ts";
import { kursTarget, startFilledKurs } from "../stores/kurs.ts";

/** Smaller growth of memory is normal for a garbage collector. */
const GROWTH_MAX = 1.25;

const params = { name: "get_rate", arguments: { base: "X{pair}", quote: "USD" } };
const message = { jsonrpc: "2.0", id: 1, method: "tools/call" };
const headers = {
  authorization: `ApiKey ${API_KEY}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

const callOf2025: LoadRequest = {
  method: "POST",
  path: "/v1/mcp",
  headers: { ...headers, "mcp-protocol-version": "2025-11-25" },
  body: JSON.stringify({ ...message, params }),
};

const conversion: LoadRequest = {
  ...callOf2025,
  body: JSON.stringify({
    ...message,
    params: {
      name: "convert_currency",
      arguments: { ...params.arguments, amount: "1250.50" },
    },
  }),
};

const callOf2026: LoadRequest = {
  method: "POST",
  path: "/v1/mcp",
  headers: {
    ...headers,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "get_rate",
  },
  body: JSON.stringify({
    ...message,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  }),
};

export const mcp: Scenario = {
  name: "mcp",
  summary: "tools/call by clients of both eras, compared with the same read over REST",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    const { tables, failures } = await bench.compare({
      connections: [64],
      targets: [
        kursTarget("REST", kurs),
        kursTarget("MCP 2025-11-25", kurs, callOf2025),
        kursTarget("MCP 2026-07-28", kurs, callOf2026),
        kursTarget("conversion", kurs, conversion),
      ],
    });
    const grown = tables.flatMap(({ rows }: Table) => rows.filter(hasGrown));
    return { tables, failures: [...failures, ...grown.map(({ name }) => `${name}: memory grew`)] };
  },
};

function hasGrown({ rounds }: Row): boolean {
  const [first, last] = [rounds[0]?.rssMib, rounds.at(-1)?.rssMib];
  return first !== undefined && last !== undefined && last / first > GROWTH_MAX;
}
