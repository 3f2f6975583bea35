import assert from "node:assert/strict";
import { targetDays } from "../../harness/archives.ts";
import { playArchives } from "../../test/rates/backfill/played.ts";
import { kurs } from "../../test/support/process.ts";
import { blocksOf } from "./blocks.ts";

/** Stores the figures of the National Bank of Poland for two weeks, as its archive has them. */
export async function fetchPolishFigures(dataDirectory: string): Promise<void> {
  const days = targetDays("2026-03-02", "2026-03-13");
  const nbp = days.map((date) => ({ date, base: "EUR", quote: "PLN", rate: "4.2512" }));
  await using archives = await playArchives({ ecb: [], cnb: [], nbp });
  const dates = ["--from", "2026-03-02", "--to", "2026-03-13"];
  const options = { dataDirectory, env: archives.env };
  const { exitCode, stderr } = await kurs(["rates", "backfill", "nbp", ...dates], options);
  assert.equal(exitCode, 0, stderr);
}

/** Headers that docs/api.md leaves out, and those of a signature. */
const LEFT_OUT = [
  ...["Date", "Connection", "Keep-Alive", "content-digest", "signature-input", "signature"],
  ...["content-security-policy", "referrer-policy", "x-content-type-options", "x-frame-options"],
];

/** Asserts that a response has the body and the headers that docs/api.md shows, in their order. */
export function assertHeaders([response = ""]: readonly string[]): void {
  const shown = blocksOf("docs/api.md").find(({ language }) => language === "http")?.text ?? "";
  const namesIn = (text: string) => text.match(/^[\w-]+(?=:)/gm) ?? [];
  const found = namesIn(response).filter((name) => !LEFT_OUT.includes(name));
  assert.deepEqual(found, namesIn(shown));
  assert.equal(response.split("\r\n\r\n")[1]?.trim(), shown.split("\n\n")[1]?.trim());
}
