import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readConfig } from "../../src/app/config.ts";
import { consolePages } from "../../src/platform/pages/paths.ts";
import { sourceNames } from "../../src/rates/sources/fetching/registry.ts";
import type { OpenApiDocument } from "../support/openapi.ts";
import { startSharedService } from "../support/service.ts";
import { ROOT } from "./tree.ts";

// The table of unpaid requests in docs/security.md names every one, with the limits in the code.

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const [, section = ""] = read("docs/security.md").split("## Requests that cost no unit\n");
const [table = ""] = section.split("\n## ");

/** The cells of every row, without the heading and the names of groups. */
const rows = table
  .split("\n")
  .filter((line) => /^\| (?!request|\*\*)/.test(line))
  .map((line) => line.slice(2, -2).split(" | "));

const operationsIn = (text: string) =>
  [...text.matchAll(/`((?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \/[^\s`]*)`/g)].map(
    ([, operation = ""]) => operation,
  );

const listed = new Set(rows.flatMap(([request = ""]) => operationsIn(request)));

const METERED = "GET /v1/rates/{base}/{quote}";

/** What the OpenAPI document leaves out. MCP has a group of its own, without its path in a row. */
const undocumented = [
  "GET /openapi.json",
  ...consolePages.map((path) => `GET ${path}`),
  "GET /docs/",
  "GET /about.json",
  "GET /coverage.json",
  "GET /favicon.svg",
  "GET /theme.js",
  "GET /assets/{file}",
  "GET /guide",
  "GET /guide/{page}",
  "GET /llms.txt",
  "GET /llms-full.txt",
  "GET /metrics",
  "GET /v1/mcp",
  "DELETE /v1/mcp",
];

const service = await startSharedService();

const { body } = await service.get("/openapi.json");
const { paths } = body as unknown as OpenApiDocument;
const documented = Object.entries(paths).flatMap(([path, operations]) =>
  Object.keys(operations)
    // Each GET has one, and the table a row for all of them.
    .filter((method) => method !== "head")
    .map((method) => `${method.toUpperCase()} ${path}`),
);

test("the table names every path and method that costs no unit, and none that is not served", () => {
  const unpaid = [...documented.filter((operation) => operation !== METERED), ...undocumented];

  assert.ok(documented.includes(METERED));
  assert.deepEqual([...listed].sort(), unpaid.sort());
});

test("the table has a group for reads that are not charged and one for MCP", () => {
  const groups = table.split("\n").filter((line) => line.startsWith("| **"));

  assert.ok(groups.some((line) => line.includes(METERED)));
  assert.ok(groups.some((line) => line.includes("POST /v1/mcp")));
  for (const method of ["initialize", "ping", "server/discover", "tools/list", "get_usage"]) {
    assert.ok(
      rows.some(([request = ""]) => request.includes(`\`${method}\``)),
      method,
    );
  }
  for (const kind of ["`HEAD`", "`OPTIONS`", "405", "404", "`CONNECT`"]) {
    assert.ok(
      rows.some(([request = ""]) => request.includes(kind)),
      kind,
    );
  }
});

test("every row of the table has a cost, a bound and a test", () => {
  assert.ok(rows.length > 35, `${rows.length} rows`);
  for (const cells of rows) {
    const [request = "", , , proof = ""] = cells;
    assert.equal(cells.length, 4, request);
    for (const cell of cells) assert.notEqual(cell.trim(), "", request);
    assert.match(proof, /^`(?:test|trials)\/[\w./-]+\.test\.ts`$/, request);
  }
});

/** A limit in a file of src, and the words for it in the table. A changed limit changes both. */
const limits = [
  ["platform/http/server/server.ts", "BODY_BYTES_MAX = 16 * 1024;", "bodies of 16 KiB"],
  [
    "platform/http/server/server.ts",
    "HEADER_BYTES_MAX = 16 * 1024;",
    "16 KiB for the request line",
  ],
  ["platform/http/server/server.ts", "REQUEST_TIMEOUT_MS = 30_000;", "30 s for a request"],
  ["platform/http/server/server.ts", "HEADERS_TIMEOUT_MS = 15_000;", "15 s for the headers"],
  ["platform/http/server/server.ts", "connectionsCheckingInterval: 5_000,", "checked every 5 s"],
  ["platform/http/server/server.ts", "SILENCE_MS = 40_000;", "after 40 s of silence"],
  ["platform/http/server/end-gently.ts", "LINGER_MS = 1000;", "the connection closes after 1 s"],
  ["platform/http/overload/connection-limit.ts", "MAX_REJECTING = 100;", "at most 100 more"],
  ["platform/http/fast-path/node-side.ts", "IN_FLIGHT_MAX = 16;", "16 to 19 in flight"],
  ["platform/http/overload/loop-budget.ts", "LOOP_BUDGET_MS = 250;", "what it serves in 250 ms"],
  ["platform/http/overload/loop-budget.ts", "PAUSE_MS = 25;", "a pause counts as 25"],
  ["platform/http/overload/loop-budget.ts", "REJECTIONS_PER_MS = 5;", "rejects 5 per ms"],
  ["reads/metering/batch/batcher.ts", "READS_PER_BATCH = 1000;", "1,000 reads per batch"],
  ["reads/metering/batch/batcher.ts", "WAIT_MS_MAX = 250;", "would wait over 250 ms"],
  ["reads/metering/batch/batcher.ts", "REJECTIONS_PER_MS = 10;", "10 reads per ms"],
  ["reads/mcp/http.ts", "BODY_BYTES_MAX = 64 * 1024;", "over MCP 64 KiB"],
  ["reads/mcp/bounds.ts", "MESSAGE_VALUES_MAX = 256;", "256 JSON values per message"],
  ["reads/mcp/bounds.ts", "BATCH_VALUES_MAX = 2048;", "2,048 JSON values"],
  ["reads/mcp/bounds.ts", "FREE_REQUESTS_MAX = 10;", "10 requests besides calls"],
  ["reads/mcp/bounds.ts", "URI_LENGTH_MAX = 256;", "a URI of 256 characters"],
  ["reads/mcp/short-call.ts", "SHORT_CALL_LENGTH_MAX = 1024;", "up to 1,024 characters"],
  ["rates/coverage/coverage.ts", "PAIRS_PER_PAGE_MAX = 1000;", "1,000 pairs per page"],
  [
    "platform/http/unpaid-responses.ts",
    "RESPONSES_PER_ACCOUNT_MAX = 32;",
    "32 at once for an account",
  ],
  ["platform/http/unpaid-responses.ts", "RESPONSES_MAX = 256;", "256 for all"],
  [
    "platform/http/authentication.ts",
    "SESSIONS_PER_ITERATION = 8;",
    "8 requests with a session begin",
  ],
  ["platform/pages/visitors-http.ts", "KEPT_MS = 60_000;", "at most once a minute"],
  ["reads/mcp/bounds.ts", "ERROR_LENGTH_MAX = 256;", "at most 256 characters"],
  ["customers/passwords/hashing/argon2.ts", "memory: 19_456,", "19 MiB"],
  [
    "customers/passwords/hashing/hash-pool.ts",
    "MAX_QUEUED_PER_THREAD = 166;",
    "166 passwords wait per thread",
  ],
  ["customers/passwords/hashing/hash-pool.ts", "availableParallelism() - 1", "all cores but one"],
  [
    "customers/auth-limit/auth-limiter.ts",
    "CALLS_PER_IP_FACTOR = 30;",
    "30 times that per address",
  ],
  ["customers/mailed-links/rules.ts", "VALID_TOKENS_MAX = 5;", "5 valid tokens per account"],
  ["customers/mailed-links/rules.ts", "MAILS_PER_HOUR_MAX = 5;", "5 mails per address and hour"],
  ["customers/outbox/deliver.ts", "MAX_IN_FLIGHT = 10;", "10 mails in delivery"],
  ["operations/cleanup/cleanup.ts", "CLEANUP_INTERVAL_MS = HOUR_MS;", "the hourly cleanup"],
  [
    "operations/cleanup/cleanup.ts",
    "ENDED_MAILS_KEPT_MS = 30 * DAY_MS;",
    "ended mails stay 30 days",
  ],
  [
    "customers/api-keys/rules.ts",
    "active: 100, perDay: 100, total: 10_000",
    "100 creations per UTC day",
  ],
  ["platform/shared/pages.ts", "PAGE_ROWS = 200;", "200 rows per page"],
  ["customers/billing/http.ts", "DAYS_MAX = 366;", "366 days; each row"],
  ["operations/metrics/scrape-server.ts", "CONNECTIONS_MAX = 20;", "20 connections"],
  ["operations/metrics/store-state.ts", "CACHE_MS = 5000;", "at most once in 5 s"],
  ["platform/log/output.ts", "WAITING_MAX = 16_000_000;", "16 MB in memory"],
] as const;

test("the limits in the table are those in the code", () => {
  for (const [file, code, words] of limits) {
    assert.ok(
      read(`src/${file}`).includes(code),
      `${file} no longer has ${code} Correct "${words}", too.`,
    );
    assert.ok(table.includes(words), `the table does not say "${words}" (${file})`);
  }
});

test("the settings in the table have the defaults of the program", () => {
  const defaults = readConfig(sourceNames, {});
  const shown = [
    `\`MAX_CONNECTIONS\` (${defaults.connectionsMax.toLocaleString("en")})`,
    `\`AUTH_LIMIT\` (${defaults.authCallsPerWindow})`,
    `\`AUTH_WINDOW_SECONDS\` (${defaults.authWindowSeconds})`,
    `${30 * defaults.authCallsPerWindow + 1} rows`,
  ];

  for (const text of shown) assert.ok(table.includes(text), text);
});
