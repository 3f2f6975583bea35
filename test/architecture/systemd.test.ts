import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "./tree.ts";

const text = readFileSync(join(ROOT, "deploy/kurs.service"), "utf8");
const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

/** What a unit must have that keeps what breaks in from the rest of the machine. */
const walls = [
  "User=kurs",
  "StateDirectoryMode=0700",
  "UMask=0077",
  "ProtectSystem=strict",
  "ProtectHome=yes",
  "NoNewPrivileges=yes",
  "CapabilityBoundingSet=",
  "RestrictNamespaces=yes",
  "SystemCallFilter=@system-service",
];

test("the systemd unit is sections of settings, and starts files that are there", () => {
  for (const line of lines) assert.match(line, /^(?:\[(?:Unit|Service|Install)\]|[A-Z]\w+=.*)$/);
  for (const wall of walls) assert.ok(lines.includes(wall), `${wall} is missing`);
  const command =
    lines
      .find((line) => line.startsWith("ExecStart="))
      ?.slice(10)
      .split(" ") ?? [];
  assert.equal(command.at(-1), "serve");
  assert.ok(existsSync(join(ROOT, (command[1] ?? "").replace("/opt/kurs/", ""))));
  assert.ok(lines.includes("Environment=DATA_DIR=/var/lib/kurs"));
  assert.ok(lines.includes("StateDirectory=kurs"));
});

test("the unit gives a stop more time than a stop takes", () => {
  const seconds = /^TimeoutStopSec=(\d+)$/m.exec(text)?.[1];
  assert.ok(Number(seconds) > 10);
});

/** Another package's unit of the same machine, which systemd reads beside ours and warns about. */
const foreignUnit = "[Unit]\nNonsense=yes\n[Service]\nExecStart=/bin/true\n";

/** What systemd says about our unit; undefined where there is no systemd. */
function complaintsAbout(unitText: string): readonly string[] | undefined {
  const directory = mkdtempSync(join(tmpdir(), "kurs-unit-"));
  const unit = join(directory, "kurs.service");
  writeFileSync(unit, unitText);
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

test("systemd itself takes the unit, whatever it says about another package's", () => {
  // The programs are where this tree is, not where the unit expects it.
  const here = text
    .replaceAll("/opt/kurs", ROOT)
    .replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`);
  const complaints = complaintsAbout(here);
  if (complaints === undefined) return;
  assert.deepEqual(complaints, []);
  const mistaken = complaintsAbout(here.replace("ProtectSystem=strict", "ProtectSystem=strickt"));
  assert.match(mistaken?.join("\n") ?? "", /kurs\.service:\d+: .*strickt/);
  const without = complaintsAbout(here.replace(process.execPath, "/no/such/program"));
  assert.match(without?.join("\n") ?? "", /kurs\.service: .*\/no\/such\/program/);
});
