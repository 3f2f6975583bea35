import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { failureCodes, statusOf } from "../../src/shared/failure.ts";
import { startService } from "../support/service.ts";
import { ROOT } from "./tree.ts";

test("docs/api.md lists every error code under its status, and no other", () => {
  const rows = readFileSync(join(ROOT, "docs/api.md"), "utf8").matchAll(
    /^\| (\d{3}) \| ((?:`\w+`(?:, )?)+) \| \S/gm,
  );
  const documented = [...rows].flatMap(([, status, codes = ""]) =>
    [...codes.matchAll(/\w+/g)].map(([code]) => `${status} ${code}`),
  );

  assert.deepEqual(
    documented.sort(),
    failureCodes.map((code) => `${statusOf[code]} ${code}`).sort(),
  );
});

// Only MCP, which has its own schema, responds with the first, and no operation with the second.
const OUTSIDE_OPENAPI = ["forbidden", "method_not_allowed"];

test("OpenAPI documents every error code at an operation that responds with it", async () => {
  await using service = await startService();
  const { body } = await service.get("/openapi.json");
  const { paths } = body as { paths: Record<string, Record<string, { responses: object }>> };
  const responses = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((operation) => Object.entries(operation.responses));

  const missing = failureCodes.filter(
    (code) =>
      !responses.some(
        ([status, response]: [string, { description: string }]) =>
          status === String(statusOf[code]) && response.description.includes(`\`${code}\``),
      ),
  );

  assert.deepEqual(missing, OUTSIDE_OPENAPI);
});
