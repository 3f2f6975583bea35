import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { serve, temporaryDirectory } from "../support/process.ts";

const README = join(import.meta.dirname, "../../README.md");

/** The shell lines of a chapter, in order. */
async function shellLinesOf(heading: string): Promise<string> {
  const text = await readFile(README, "utf8");
  const chapter = text.split(/^## /m).find((part) => part.startsWith(heading));
  assert.ok(chapter !== undefined, `README.md has no chapter ${heading}`);
  return [...chapter.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, lines]) => lines)
    .join("echo\n");
}

test("the README's example leads from an account to the first rate and its one unit", async () => {
  await using directory = await temporaryDirectory();
  await using server = await serve({ dataDirectory: directory.path });
  const script = (await shellLinesOf("From an account")).replaceAll(
    "http://127.0.0.1:8080",
    server.url,
  );

  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script]);

  assert.match(stdout, /^\{"id":"[0-9a-f-]{36}","email":"ada@example\.org",/);
  assert.match(stdout, /^\{"base":"EUR","quote":"USD","rate":"1\.1476",.*"type":"direct"\}$/m);
  assert.match(stdout, /"usage":\{"used_units":1,"quota_units":1000,"remaining_units":999,/);
});
