import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../support/process.ts";
import { importsOf, ROOT, sourcesIn, trackedFiles } from "./tree.ts";

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

// What an engine gets of a clone to build the image from, without an engine.

/** A line of .dockerignore as a pattern of paths: it names a file, or a folder with all in it. */
function rule(line: string) {
  assert.doesNotMatch(line, /\*\*|[?[\]\\]/, "this test knows no such pattern");
  const path = line.replace("!", "").replaceAll(".", "\\.").replaceAll("*", "[^/]*");
  return { pattern: new RegExp(`^${path}(?:/|$)`), isSent: line.startsWith("!") };
}

const rules = readFileSync(join(ROOT, ".dockerignore"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map(rule);

/** The last rule that names a path decides. */
const isSent = (path: string) =>
  rules.findLast(({ pattern }) => pattern.test(path))?.isSent ?? true;

test("the context of the image has all that the Dockerfile copies and the guide is built from", async () => {
  await using directory = await temporaryDirectory();
  const sent = (path: string) => join(directory.path, path);
  for (const path of trackedFiles().filter(isSent)) cpSync(join(ROOT, path), sent(path));
  symlinkSync(join(ROOT, "node_modules"), sent("node_modules"));

  const copies = readFileSync(join(ROOT, "Dockerfile"), "utf8").matchAll(/^COPY (?!--from)(.+)$/gm);
  const copied = [...copies].flatMap(([, names = ""]) => names.split(" ").slice(0, -1));
  assert.ok(copied.length > 3);
  assert.deepEqual(
    copied.filter((path) => !existsSync(sent(path))),
    [],
  );
  for (const folder of ["bin", "console", "guide", "scripts", "src"]) {
    for (const source of sourcesIn(folder).filter(({ path }) => isSent(path))) {
      for (const { specifier } of importsOf(source).filter((each) => each.specifier[0] === ".")) {
        const imported = sent(join(dirname(source.path), specifier));
        assert.ok(existsSync(imported), `${source.path}: ${specifier}`);
      }
    }
  }
  // Reads every document, follows every link and starts the program.
  execFileSync(process.execPath, ["guide/build.ts"], { cwd: directory.path });
  assert.ok(existsSync(sent("guide/dist/llms-full.txt")));
});

test("the context of the image has no secret, no data and nothing that was built elsewhere", () => {
  const names = [".env", "secrets/database-url", "data/kurs.db", ".git/config", "kurs.db"];
  const built = ["console", "guide"].map((folder) => `${folder}/dist/index.html`);
  const left = ["guide/.cache/x", "node_modules/pg/package.json"];
  assert.deepEqual([...names, ...built, ...left].filter(isSent), []);
});

const buildahWithoutNetwork = `#!/bin/sh
[ "$1" = --version ] || { echo "Error: no such host" >&2; exit 1; }
`;

for (const [lacks, buildah, says] of [
  ["a builder", undefined, "The image needs buildah: apt-get install buildah."],
  [
    "a base",
    buildahWithoutNetwork,
    "docker.io/library/debian:trixie-slim cannot be had here (no such host): set BASE_IMAGE " +
      "to an image that you have, or apt-get install mmdebstrap.",
  ],
] as const) {
  test(`a release whose image lacks ${lacks} says what to install, and does nothing`, async () => {
    await using directory = await temporaryDirectory();
    const program = join(directory.path, "buildah");
    if (buildah !== undefined) writeFileSync(program, buildah, { mode: 0o700 });
    const release = [join(ROOT, "scripts/release.js"), "--dry-run"];
    const ended = spawnSync(process.execPath, release, {
      env: { PATH: directory.path },
      encoding: "utf8",
    });
    assert.deepEqual(
      [ended.status, ended.stdout, ended.stderr],
      [1, "", `${says} --without-image skips it.\n`],
    );
  });
}
