import assert from "node:assert/strict";
import { cp, mkdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Program, temporaryDirectory } from "../support/process.ts";

const root = join(import.meta.dirname, "../..");

/** Writes down how it was called, and what the real npm writes last: what is installed. */
const FAKE_NPM = `
  import { appendFileSync, writeFileSync } from "node:fs";
  const called = process.argv.slice(2).filter((arg) => !/audit|fund|loglevel/.test(arg)).join(" ");
  appendFileSync("calls", called + "\\n");
  if (process.env.OUTCOME === "killed") process.kill(process.pid, "SIGKILL");
  if (process.env.OUTCOME === "failed") process.exit(1);
  const all = '{"packages":{"node_modules/kurs-tests":{"link":true}}}';
  writeFileSync("node_modules/.package-lock.json", called.includes("workspaces=false") ? "{}" : all);
`;

const WITHOUT_TESTS = "--workspaces=false";

/** A clone without its sources, in which npm is a fake. */
async function fakeClone() {
  const directory = await temporaryDirectory();
  const at = (path: string) => join(directory.path, path);
  await mkdir(at("scripts"));
  await cp(join(root, "scripts/run.js"), at("scripts/run.js"));
  await cp(join(root, "package.json"), at("package.json"));
  await writeFile(at("package-lock.json"), "{}");
  await writeFile(at("npm.mjs"), FAKE_NPM);
  return {
    /** Runs the wrapper. @returns its exit code and the calls of npm. */
    async run(args: readonly string[], outcome = "installed") {
      await rm(at("calls"), { force: true });
      const env = { npm_execpath: at("npm.mjs"), OUTCOME: outcome };
      await using program = new Program(args, { main: at("scripts/run.js"), env });
      const { exitCode } = await program.ended;
      const calls = await readFile(at("calls"), "utf8").catch(() => "");
      return [exitCode, ...calls.trimEnd().split("\n")];
    },
    /** As after a pull that changes the lock file. */
    changeLockFile: () => utimes(at("package-lock.json"), new Date(), new Date(Date.now() + 5000)),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test("a start installs what the service and its pages need, once", async () => {
  await using clone = await fakeClone();
  assert.deepEqual(await clone.run([]), [0, `ci ${WITHOUT_TESTS}`]);
  assert.deepEqual(await clone.run([]), [0, ""]);
});

test("tests add what they need to it, and a later start removes nothing", async () => {
  await using clone = await fakeClone();
  await clone.run([]);
  assert.deepEqual(await clone.run(["--all"]), [0, "install --no-save"]);
  assert.deepEqual(await clone.run(["--all"]), [0, ""]);
  assert.deepEqual(await clone.run([]), [0, ""]);
  await clone.changeLockFile();
  assert.deepEqual(await clone.run([]), [0, "ci"]);
});

test("tests in a fresh clone install everything at once", async () => {
  await using clone = await fakeClone();
  assert.deepEqual(await clone.run(["--all"]), [0, "ci"]);
  assert.deepEqual(await clone.run([]), [0, ""]);
});

test("an interrupted installation is repeated from the beginning", async () => {
  await using clone = await fakeClone();
  assert.deepEqual(await clone.run([], "killed"), [1, `ci ${WITHOUT_TESTS}`]);
  assert.deepEqual(await clone.run([]), [0, `ci ${WITHOUT_TESTS}`]);
  assert.deepEqual(await clone.run(["--all"], "killed"), [1, "install --no-save"]);
  assert.deepEqual(await clone.run(["--all"]), [0, "ci"]);
});

test("a start still works after the tests' packages could not be added", async () => {
  await using clone = await fakeClone();
  await clone.run([]);
  assert.deepEqual(await clone.run(["--all"], "failed"), [1, "install --no-save"]);
  assert.deepEqual(await clone.run([]), [0, ""]);
});
