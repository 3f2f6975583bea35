import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../test/architecture/tree.ts";

const text = readFileSync(join(ROOT, "deploy/kurs.service"), "utf8");

const dropIns = ["kurs-package.conf", "kurs-executable.conf"].map((name) => ({
  name,
  text: readFileSync(join(ROOT, "deploy", name), "utf8"),
}));

/** Another package's unit on the same machine, which systemd reads too and warns about. */
const foreignUnit = "[Unit]\nNonsense=yes\n[Service]\nExecStart=/bin/true\n";

/** @returns systemd's warnings about our unit; undefined where systemd is not installed. */
function warningsAbout(unitText: string, dropIn = ""): readonly string[] | undefined {
  const directory = mkdtempSync(join(tmpdir(), "kurs-unit-"));
  const unit = join(directory, "kurs.service");
  writeFileSync(unit, unitText);
  mkdirSync(`${unit}.d`);
  writeFileSync(join(`${unit}.d`, "way.conf"), dropIn);
  const wants = join(directory, "units/network-online.target.wants");
  mkdirSync(wants, { recursive: true });
  writeFileSync(join(directory, "units/foreign.service"), foreignUnit);
  symlinkSync("../foreign.service", join(wants, "foreign.service"));
  const { error, stderr } = spawnSync("systemd-analyze", ["verify", unit], {
    encoding: "utf8",
    // The colon at the end adds the machine's own units.
    env: { ...process.env, SYSTEMD_UNIT_PATH: `${join(directory, "units")}:` },
  });
  rmSync(directory, { recursive: true });
  if (error !== undefined) {
    assert.equal((error as NodeJS.ErrnoException).code, "ENOENT");
    return undefined;
  }
  return stderr.split("\n").filter((line) => line.includes("kurs.service"));
}

test("systemd accepts the unit, and warnings about other units do not matter", () => {
  // The programs are in this working tree, not at the paths in the unit.
  const here = text
    .replaceAll("/opt/kurs", ROOT)
    .replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`);
  const warnings = warningsAbout(here);
  if (warnings === undefined) return;
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
