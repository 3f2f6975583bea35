import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { kurs, serve, temporaryDirectory } from "../../test/support/process.ts";
import { inImage, openImage } from "./image.ts";
import { type Seen, type Start, walk } from "./walk.ts";

// Walks through each artefact as its users get it, and prints a table: npm run artefacts. Needs root,
// a network, and for the image the Debian packages buildah and mmdebstrap.

const ROOT = join(import.meta.dirname, "../..");
const USER = 10_001;
const INSTALL_MS_MAX = 300_000;

/** What a shell gives a program, and nothing of this project's own settings. */
const environment = (more: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env.PATH ?? "",
  HOME: process.env.HOME ?? "/root",
  RATE_SOURCES: "",
  ...more,
});

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true, default: [] }, base: { type: "string" } },
});

interface Row extends Seen {
  readonly way: string;
  readonly what: string;
}

const ways: Readonly<Record<string, () => Promise<Row>>> = {
  "npm start": walkClone,
  package: walkPackage,
  image: walkImage,
  executable: walkExecutable,
};

const rows: Row[] = [];
for (const [way, walkThrough] of Object.entries(ways)) {
  if (values.only.length > 0 && !values.only.includes(way)) continue;
  console.error(`${way} …`);
  rows.push(await walkThrough());
}
console.log("| way | what | seconds to ready | resident MiB | seconds to stop |");
console.log("|---|---|---|---|---|");
for (const { way, what, readySeconds, residentMib, stopSeconds } of rows) {
  const times = [readySeconds, stopSeconds].map((seconds) => seconds.toFixed(2));
  console.log(`| ${way} | ${what} | ${times[0]} | ${residentMib} | ${times[1]} |`);
}

async function walkClone(): Promise<Row> {
  await using directory = await temporaryDirectory();
  const seen = await walk((port) => ({
    command: ["npm", "start"],
    cwd: ROOT,
    env: environment({ PORT: String(port), DATA_DIR: directory.path }),
    isWrapped: true,
  }));
  return { way: "npm start", what: "a clone, installed", ...seen };
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
  execFileSync("npm", [...install, join(directory.path, filename)], {
    cwd: place,
    timeout: INSTALL_MS_MAX,
  });
  await checkPackage(join(place, "node_modules/kurs"));
  const seen = await walk((port) => ({
    command: ["node_modules/.bin/kurs", "serve"],
    cwd: place,
    env: environment({ PORT: String(port) }),
    isWrapped: true,
  }));
  const installed = execFileSync("du", ["-sm", join(place, "node_modules")], { encoding: "utf8" });
  const what = `${entryCount} files, ${mebibytes(size)} MiB; installed ${Number.parseInt(installed, 10)} MiB`;
  return { way: "package", what, ...seen };
}

/** What the package has, has not, and runs, and the parts of it that are loaded on demand. */
async function checkPackage(installed: string): Promise<void> {
  const found = readdirSync(installed, { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
  for (const file of [
    ...["bin/kurs.js", "dist/package/main.js", "dist/package/main.js.map", "snapshot/rates.json"],
    ...["console/dist/index.html", "console/dist/docs.html", "guide/dist/llms.txt"],
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
  await using image = await openImage(ROOT, values.base);
  const { mode, uid } = statSync(join(image.mount, "data"));
  assert.deepEqual([mode & 0o777, uid], [0o700, USER], "others may read the image's /data");
  await using volume = await temporaryDirectory();
  execFileSync("chown", [`${USER}:${USER}`, volume.path]);
  const seen = await walk((port) => ({
    command: inImage(image, volume.path, { PORT: String(port), RATE_SOURCES: "" }, ["serve"]),
    env: environment(),
    checkHealth: inImage(image, volume.path, { PORT: String(port) }, ["health"]),
  }));
  return { way: "image", what: `${image.sizeMib} MiB, read-only root, user ${USER}`, ...seen };
}

/** The executable alone with the libraries that it names, in an otherwise empty tree. */
async function walkExecutable(): Promise<Row> {
  await using directory = await temporaryDirectory();
  const root = directory.path;
  execFileSync("npm", ["run", "--silent", "build:binary"], { cwd: ROOT, stdio: "inherit" });
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
  return { way: "executable", what: `${mebibytes(statSync(executable).size)} MiB`, ...seen };
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
