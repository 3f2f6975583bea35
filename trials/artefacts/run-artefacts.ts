import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { chooseBase } from "../../scripts/build-image.js";
import { trackedFiles } from "../../test/architecture/tree.ts";
import { kurs, serve, temporaryDirectory } from "../../test/support/process.ts";
import { inImage, openImage } from "./image.ts";
import { type Seen, type Start, walk } from "./walk.ts";

// Walks through each artefact as its users get it, and prints a table: npm run artefacts. Needs root,
// a network, and for the image buildah and a base (scripts/build-image.js).

const ROOT = join(import.meta.dirname, "../..");
const USER = 10_001;
const INSTALL_MS_MAX = 400_000;
const IMAGE_MIB_MAX = 250;

/** What a shell gives a program, and nothing of this project's own settings. */
const environment = (more: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env.PATH ?? "",
  // npm needs it where this machine trusts an authority of its own.
  NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS ?? "",
  HOME: process.env.HOME ?? "/root",
  RATE_SOURCES: "",
  ...more,
});

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true, default: [] } },
});

interface Row extends Seen {
  readonly way: string;
  readonly what: string;
  /** To fetch and to build it; of a clone, which does so at its first start, until it is ready. */
  readonly installSeconds: number;
}

const ways: Readonly<Record<string, () => Promise<Row>>> = {
  "npm start": walkClone,
  package: walkPackage,
  image: walkImage,
  executable: walkExecutable,
};

const wanted = Object.entries(ways).filter(
  ([way]) => values.only.length === 0 || values.only.includes(way),
);
// Before the others are walked through, which takes minutes.
const base = wanted.some(([way]) => way === "image") ? chooseBase() : "";

const rows: Row[] = [];
for (const [way, walkThrough] of wanted) {
  console.error(`${way} …`);
  rows.push(await walkThrough());
}
const heads = ["way", "what", "seconds to install", "to ready", "to stop", "resident MiB"];
for (const cells of [heads, heads.map(() => "---"), ...rows.map(cellsOf)]) {
  console.log(`| ${cells.join(" | ")} |`);
}

function cellsOf({ way, what, installSeconds, readySeconds, stopSeconds, residentMib }: Row) {
  const times = [installSeconds.toFixed(0), readySeconds.toFixed(2), stopSeconds.toFixed(2)];
  return [way, what, ...times, residentMib];
}

/** A copy of the files in version control: with nothing installed and nothing built. */
async function walkClone(): Promise<Row> {
  await using directory = await temporaryDirectory();
  const clone = join(directory.path, "kurs");
  for (const path of trackedFiles()) cpSync(join(ROOT, path), join(clone, path));
  const seen = await walk((port) => ({
    command: ["npm", "start"],
    cwd: clone,
    env: environment({ PORT: String(port) }),
    isWrapped: true,
  }));
  return {
    way: "npm start",
    what: `installed ${diskMib(clone)} MiB`,
    installSeconds: seen.firstSeconds,
    ...seen,
  };
}

async function walkPackage(): Promise<Row> {
  await using directory = await temporaryDirectory();
  const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", directory.path], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ filename, size, entryCount }] = JSON.parse(packed);
  const place = join(directory.path, "empty");
  mkdirSync(place);
  const install = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
  const startedMs = performance.now();
  execFileSync("npm", [...install, join(directory.path, filename)], {
    cwd: place,
    timeout: INSTALL_MS_MAX,
  });
  const installSeconds = secondsSince(startedMs);
  await checkPackage(join(place, "node_modules/kurs"));
  const seen = await walk((port) => ({
    command: ["node_modules/.bin/kurs", "serve"],
    cwd: place,
    env: environment({ PORT: String(port) }),
    isWrapped: true,
  }));
  const installed = diskMib(join(place, "node_modules"));
  const what = `${entryCount} files, ${mebibytes(size)} MiB; installed ${installed} MiB`;
  return { way: "package", what, installSeconds, ...seen };
}

/** What the package has, has not, and runs, and the parts of it that are loaded on demand. */
async function checkPackage(installed: string): Promise<void> {
  const found = readdirSync(installed, { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
  for (const file of [
    ...["bin/kurs.js", "dist/package/main.js", "dist/package/main.js.map", "snapshot/rates.json"],
    ...["console/dist/index.html", "guide/dist/llms.txt"],
    ...["migrations/sqlite/0020-initial.sql", "migrations/postgres/0020-initial.sql"],
    ...["docs/operating/running.md", "deploy/kurs-package.conf", "LICENSE", "CHANGELOG.md"],
  ]) {
    assert.ok(files.includes(file), `${file} is missing`);
  }
  const unwanted = files.filter((file) =>
    /\.tsx?$|\.pem$|\.key$|(?:^|\/)tests?\/|^client\//.test(file),
  );
  assert.deepEqual(unwanted, []);
  assert.ok(files.length < 1200, `${files.length} files`);
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const hooks = ["preinstall", "install", "postinstall", "prepare"];
  assert.ok(!hooks.some((hook) => Object.hasOwn(manifest.scripts, hook)));
  assert.equal(manifest.private, undefined);

  const main = join(installed, "bin/kurs.js");
  await using directory = await temporaryDirectory();
  const at = { main, dataDirectory: directory.path };
  await using server = await serve(at);
  const { apiKey } = await server.newCustomer();
  const json = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  assert.match((await server.post("/v1/mcp", { apiKey, json })).text, /convert_currency/);
  for (const [args, printed] of [
    [["docs", "alarms/kurs-down"], /^# KursDown$/m],
    [["mail", "test", "ada@example.org"], /ada@example\.org/],
    [["doctor"], /^ok +integrity +the database is undamaged/m],
  ] as const) {
    assert.match((await kurs(args, at)).stdout, printed);
  }
  assert.equal(statSync(join(installed, ".compiled")).mode & 0o777, 0o700);
  await server.stop();
  assert.match(server.program.stderr, / commands +node_modules\/\.bin\/kurs --help$/m);
}

async function walkImage(): Promise<Row> {
  const startedMs = performance.now();
  await using image = openImage(base);
  const installSeconds = secondsSince(startedMs);
  const sizeMib = diskMib(image.mount);
  assert.ok(sizeMib <= IMAGE_MIB_MAX, `the image has ${sizeMib} MiB`);
  const { mode, uid } = statSync(join(image.mount, "data"));
  assert.deepEqual([mode & 0o777, uid], [0o700, USER], "others may read the image's /data");
  await using volume = await temporaryDirectory();
  execFileSync("chown", [`${USER}:${USER}`, volume.path]);
  const seen = await walk((port) => ({
    command: inImage(image, volume.path, { PORT: String(port), RATE_SOURCES: "" }, ["serve"]),
    env: environment(),
    checkHealth: inImage(image, volume.path, { PORT: String(port) }, ["health"]),
  }));
  const what = `${sizeMib} MiB, read-only root, user ${USER}`;
  return { way: "image", what, installSeconds, ...seen };
}

/** The executable alone with the libraries that it names, in an otherwise empty tree. */
async function walkExecutable(): Promise<Row> {
  await using directory = await temporaryDirectory();
  const root = directory.path;
  const startedMs = performance.now();
  execFileSync("npm", ["run", "--silent", "build:binary"], { cwd: ROOT, stdio: "inherit" });
  const installSeconds = secondsSince(startedMs);
  const executable = join(ROOT, "dist/kurs");
  copyFileSync(executable, join(root, "kurs"));
  const libraries = execFileSync("ldd", [executable], { encoding: "utf8" });
  for (const [path] of libraries.matchAll(/\/\S+/g)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    copyFileSync(path, join(root, path));
  }
  mkdirSync(join(root, "data"));
  const start = (port: number): Start => ({
    command: ["chroot", root, "/kurs", "serve"],
    env: { PORT: String(port), RATE_SOURCES: "", DATA_DIR: "/data", PATH: process.env.PATH ?? "" },
  });
  const seen = await walk(start);
  const what = `${mebibytes(statSync(executable).size)} MiB`;
  return { way: "executable", what, installSeconds, ...seen };
}

function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1000;
}

/** What a directory takes on the disk. */
function diskMib(directory: string): number {
  return Number.parseInt(execFileSync("du", ["-sm", directory], { encoding: "utf8" }), 10);
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
