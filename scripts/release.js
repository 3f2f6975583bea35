// Writes everything that a release consists of to dist/release/: `npm run release -- --dry-run`.
// Publishing is the work of .github/workflows/release.yml, which runs this and signs the result.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildah, buildImage, chooseBase, isInstalled } from "./build-image.js";

const USAGE = `usage: npm run release -- --dry-run [--without-image]

Writes to dist/release/: the npm packages of the server and of the client, the executables, the
container image, the list of components (SBOM), checksums and the changelog's section. A release itself is published by the
workflow in .github/workflows/release.yml when a tag v<version> is pushed.

  --dry-run         required: publish nothing
  --without-image   skip the container image, which needs buildah or docker

BASE_IMAGE names the image to build on. Without it buildah takes the Dockerfile's, and where its
registry cannot be reached, a Debian that mmdebstrap makes.`;

const root = join(import.meta.dirname, "..");
const directory = join(root, "dist/release");

const args = process.argv.slice(2);
const unknown = args.filter((arg) => !["--dry-run", "--without-image", "--help"].includes(arg));
if (args.includes("--help")) console.log(USAGE);
else if (unknown.length > 0 || !args.includes("--dry-run")) {
  console.error(unknown.length > 0 ? `There is no ${unknown.join(", ")}.\n\n${USAGE}` : USAGE);
  process.exitCode = 2;
} else await release(!args.includes("--without-image"));

/** @param {boolean} withImage */
async function release(withImage) {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const writeImage = withImage ? imageWriter() : undefined;
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const name = `kurs-${version}`;

  await writeFile(join(directory, "CHANGES.md"), await changesOf(version));
  run("npm", ["pack", "--pack-destination", directory]);
  run("npm", ["pack", "--workspace", "client", "--pack-destination", directory]);
  const shipped = ["--omit", "dev", "--workspaces=false", "--package-lock-only"];
  const sbom = ["sbom", ...shipped, "--sbom-format", "cyclonedx"];
  await writeFile(join(directory, `${name}.cdx.json`), run("npm", sbom));
  for (const platform of ["linux-x64", "linux-arm64"]) {
    run(process.execPath, ["scripts/build-binary.js", platform]);
    await cp(join(root, "dist/kurs"), join(directory, `${name}-${platform}`));
  }
  writeImage?.(version, join(directory, `${name}-image.tar`));

  const files = (await readdir(directory)).sort();
  const sums = await Promise.all(files.map(async (file) => `${await sumOf(file)}  ${file}\n`));
  await writeFile(join(directory, "SHA256SUMS"), sums.join(""));
  console.log(`${sums.join("")}in dist/release, with SHA256SUMS; the workflow signs them`);
}

/**
 * The changelog's section of a version; before its release that of the unreleased changes.
 *
 * @param {string} version
 */
async function changesOf(version) {
  const text = await readFile(join(root, "CHANGELOG.md"), "utf8");
  const sections = text.split(/^(?=## )/m);
  const found =
    sections.find((section) => section.startsWith(`## ${version}`)) ??
    sections.find((section) => section.startsWith("## Unreleased"));
  if (found === undefined) throw new Error(`CHANGELOG.md has no section ## ${version}`);
  return `${found.trim()}\n`;
}

/**
 * Exits when there is nothing to build the image with or on, before anything is written.
 *
 * @returns {(version: string, archive: string) => void} writes the image for `docker load`
 */
function imageWriter() {
  if (!isInstalled("buildah") && isInstalled("docker")) return writeWithDocker;
  const base = orExit(chooseBase);
  return (version, archive) =>
    orExit(() => {
      const tag = `kurs:${version}`;
      buildImage(tag, base, { VERSION: version, REVISION: revision() });
      buildah("push", "--quiet", tag, `docker-archive:${archive}:${tag}`);
    });
}

/**
 * @template Result
 * @param {() => Result} work whose errors are sentences for a person
 * @returns {Result}
 */
function orExit(work) {
  try {
    return work();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error} --without-image skips it.`);
    process.exit(1);
  }
}

/**
 * @param {string} version
 * @param {string} archive
 */
function writeWithDocker(version, archive) {
  const base = process.env.BASE_IMAGE;
  const settings = [`VERSION=${version}`, `REVISION=${revision()}`];
  if (base !== undefined) settings.push(`BASE_IMAGE=${base}`);
  const args = settings.flatMap((setting) => ["--build-arg", setting]);
  const output = ["--tag", `kurs:${version}`, "--output", `type=docker,dest=${archive}`];
  run("docker", ["buildx", "build", ...args, ...output, "."]);
}

function revision() {
  return run("git", ["rev-parse", "HEAD"]).trim();
}

/** @param {string} file in the directory of the release */
async function sumOf(file) {
  return createHash("sha256")
    .update(await readFile(join(directory, file)))
    .digest("hex");
}

/**
 * Runs a program to its end. Exits when it fails.
 *
 * @param {string} program
 * @param {readonly string[]} programArgs
 * @returns its output
 */
function run(program, programArgs) {
  console.error(`$ ${[program, ...programArgs].join(" ")}`);
  const { status, stdout, error } = spawnSync(program, programArgs, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status === 0) return stdout;
  console.error(`${program} failed${error === undefined ? "" : `: ${error.message}`}.`);
  process.exit(1);
}
