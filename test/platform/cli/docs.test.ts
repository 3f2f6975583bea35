import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kurs } from "../../support/command-line.ts";

const root = join(import.meta.dirname, "../../..");

test("kurs docs lists the documents and configurations, and no picture", async () => {
  const { exitCode, stdout } = await kurs(["docs"]);
  assert.equal(exitCode, 0);
  assert.match(stdout, /^settings +Settings$/m);
  assert.match(stdout, /^operating\/running +Running the server$/m);
  assert.match(stdout, /^deploy\/kurs\.service$/m);
  assert.doesNotMatch(stdout, /\.png/);
});

for (const [name, path] of [
  ["settings", "docs/settings.md"],
  ["docs/alarms/kurs-down.md", "docs/alarms/kurs-down.md"],
  ["deploy/Caddyfile", "deploy/Caddyfile"],
] as const) {
  test(`kurs docs ${name} prints ${path} as it is, without a valid configuration`, async () => {
    const { exitCode, stdout } = await kurs(["docs", name], { env: { PORT: "none" } });
    assert.equal(exitCode, 0);
    assert.equal(stdout, readFileSync(join(root, path), "utf8").replaceAll("\t", "    "));
  });
}

test("kurs docs prints no other file of the program, and says what to do", async () => {
  for (const name of ["nothing", "../../package.json", "deploy/../package.json"]) {
    const { exitCode, stdout, stderr } = await kurs(["docs", name]);
    assert.equal(exitCode, 1);
    assert.equal(stdout, "");
    assert.equal(stderr, `kurs: there is no document ${name}: "kurs docs" lists them\n`);
  }
});
