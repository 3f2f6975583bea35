import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "./tree.ts";

// What systemd itself says about it: trials/documents/systemd.test.ts.

const text = readFileSync(join(ROOT, "deploy/kurs.service"), "utf8");
const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

/** Settings of the unit that protect the rest of the machine from a compromised process. */
const required = [
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

test("the systemd unit has only sections and settings, and starts a file that exists", () => {
  for (const line of lines) assert.match(line, /^(?:\[(?:Unit|Service|Install)\]|[A-Z]\w+=.*)$/);
  for (const line of required) assert.ok(lines.includes(line), `${line} is missing`);
  const command =
    lines
      .find((line) => line.startsWith("ExecStart="))
      ?.slice(10)
      .split(" ") ?? [];
  assert.equal(command.at(-1), "serve");
  assert.ok(existsSync(join(ROOT, (command.at(-2) ?? "").replace("/opt/kurs/", ""))));
  assert.ok(lines.includes("Environment=DATA_DIR=/var/lib/kurs"));
  assert.ok(lines.includes("StateDirectory=kurs"));
});

/** The units of the other ways to install Kurs: changes of some lines. */
const dropIns = ["kurs-package.conf", "kurs-executable.conf"].map((name) => ({
  name,
  text: readFileSync(join(ROOT, "deploy", name), "utf8"),
}));

test("the drop-ins replace where the unit's program is, and change no protection", () => {
  const mayChange = /^(?:\[\w+\]|Documentation=.*|ExecStart=.*|WorkingDirectory=.*|#.*|)$/;
  for (const { name, text } of dropIns) {
    assert.deepEqual(
      text.split("\n").filter((line) => !mayChange.test(line)),
      [],
      name,
    );
    assert.match(text, /^ExecStart=\nExecStart=\/\S+ .*\bserve$/m, name);
  }
});

test("the unit's stop timeout is longer than a shutdown takes", () => {
  const seconds = /^TimeoutStopSec=(\d+)$/m.exec(text)?.[1];
  assert.ok(Number(seconds) > 10);
});
