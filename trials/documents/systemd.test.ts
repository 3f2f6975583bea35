import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../test/architecture/tree.ts";

const text = readFileSync(join(ROOT, "deploy/kurs.service"), "utf8");

const dropIns = ["kurs-package.conf", "kurs-executable.conf"].map((name) => ({
  name,
  text: readFileSync(join(ROOT, "deploy", name), "utf8"),
}));

/** @returns systemd's warnings about our unit; undefined where systemd is not installed. */
function warningsAbout(unitText: string, dropIn = ""): readonly string[] | undefined {
  const directory = mkdtempSync(join(tmpdir(), "kurs-unit-"));
  const unit = join(directory, "kurs.service");
  writeFileSync(unit, unitText);
  mkdirSync(`${unit}.d`);
  writeFileSync(join(`${unit}.d`, "way.conf"), dropIn);
  const verify = ["verify", unit];
  const { error, stderr } = spawnSync("systemd-analyze", verify, { encoding: "utf8" });
  rmSync(directory, { recursive: true });
  if (error !== undefined) {
    assert.equal((error as NodeJS.ErrnoException).code, "ENOENT");
    return undefined;
  }
  // It reads other packages' units, too, and warns about them.
  return stderr.split("\n").filter((line) => line.includes("kurs.service"));
}

test("systemd accepts the unit and its drop-ins", (t) => {
  // The programs are in this working tree, not at the paths in the unit.
  const here = text
    .replaceAll("/opt/kurs", ROOT)
    .replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`);
  const warnings = warningsAbout(here);
  if (warnings === undefined) return t.skip("systemd-analyze is not installed");
  assert.deepEqual(warnings, []);
  for (const { name, text: dropIn } of dropIns) {
    const program = dropIn.replace(/^ExecStart=\/\S+/m, `ExecStart=${process.execPath}`);
    assert.deepEqual(warningsAbout(here, program), [], name);
    assert.match(warningsAbout(here, dropIn)?.join("\n") ?? "", /\/(?:opt|usr)\/\S+/, name);
  }
  const mistaken = warningsAbout(here.replace("ProtectSystem=strict", "ProtectSystem=strickt"));
  assert.match(mistaken?.join("\n") ?? "", /kurs\.service:\d+: .*strickt/);
  const without = warningsAbout(here.replace(process.execPath, "/no/such/program"));
  assert.match(without?.join("\n") ?? "", /kurs\.service: .*\/no\/such\/program/);
});
