// Writes everything that a release consists of to dist/release/: `npm run release -- --dry-run`.
// Publishing is the work of .github/workflows/release.yml, which runs this and signs the result.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const USAGE = `usage: npm run release -- --dry-run [--without-image]

Writes to dist/release/: the npm packages of the server and of the client, the executables, the
container image, the list of components (SBOM), checksums and the changelog's section. A release itself is published by the
workflow in .github/workflows/release.yml when a tag v<version> is pushed.

  --dry-run         required: publish nothing
  --without-image   skip the container image, which needs buildah or docker`;

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
  const builder = withImage ? imageBuilder() : undefined;
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
  if (builder !== undefined) buildImage(builder, version, join(directory, `${name}-image.tar`));

  const files = (await readdir(directory)).sort();
  const sums = await Promise.all(files.map(async (file) => `${await sumOf(file)}  ${file}\n`));
  await writeFile(join(directory, "SHA256SUMS"), sums.join(""));
  console.log(`${sums.join("")}in dist/release, with SHA256SUMS`);
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

/** The program that builds images. Exits when there is none, before anything is written. */
function imageBuilder() {
  const found = ["buildah", "docker"].find(
    (program) => spawnSync(program, ["--version"]).error === undefined,
  );
  if (found !== undefined) return found;
  console.error("The image needs buildah or docker: install one, or add --without-image.");
  process.exit(1);
}

/**
 * @param {string} builder
 * @param {string} version
 * @param {string} archive for docker load: the OCI format has no health check
 */
function buildImage(builder, version, archive) {
  const revision = run("git", ["rev-parse", "HEAD"]).trim();
  const labels = ["--build-arg", `VERSION=${version}`, "--build-arg", `REVISION=${revision}`];
  const base = process.env.BASE_IMAGE;
  const from = base === undefined ? [] : ["--build-arg", `BASE_IMAGE=${base}`];
  const tag = `kurs:${version}`;
  if (builder === "docker") {
    run("docker", [
      "buildx",
      "build",
      ...labels,
      ...from,
      "--output",
      `type=docker,dest=${archive}`,
      ".",
    ]);
    return;
  }
  run("buildah", ["bud", "--format", "docker", ...labels, ...from, "--tag", tag, "."]);
  run("buildah", ["push", tag, `docker-archive:${archive}:${tag}`]);
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
