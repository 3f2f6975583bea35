import assert from "node:assert/strict";
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertFailure } from "../support/assertions.ts";
import { serve, temporaryDirectory } from "../support/process.ts";

const ROOT = join(import.meta.dirname, "../..");

test("a clone whose console is not built serves the API, and its log says how to build it", async () => {
  await using directory = await temporaryDirectory();
  const clone = join(directory.path, "clone");
  for (const part of ["src", "migrations", "snapshot", "package.json"]) {
    cpSync(join(ROOT, part), join(clone, part), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
  const dataDirectory = join(directory.path, "data");
  const main = join(clone, "src/main.ts");

  await using server = await serve({ dataDirectory, main });

  const customer = await server.newCustomer();
  assert.equal((await customer.read()).status, 200);
  assertFailure(await server.get("/"), 404, "not_found");
  const messages = server.logLines().map(({ msg }) => String(msg));
  assert.ok(messages.some((msg) => msg.includes("the console is not built: run `npm run build`")));
});
