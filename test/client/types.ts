import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { startService } from "../support/service.ts";

const ROOT = join(import.meta.dirname, "../..");
const HOOK = join(ROOT, "test/platform/http/with-typescript-5.ts");
const GENERATOR = join(ROOT, "node_modules/openapi-typescript/bin/cli.js");

/** The file of the client that a program generates. */
export const TYPES = join(ROOT, "client/src/openapi.ts");

const HEAD = "// Generated from /openapi.json by `node test/client/write-types.ts`.\n";

/** @returns the types of the document that this service serves, as openapi-typescript writes them. */
export async function generateTypes(): Promise<string> {
  await using service = await startService();
  const args = ["--import", HOOK, GENERATOR, `${service.url}/openapi.json`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 24 });
  return HEAD + stdout;
}
