// Builds the container image with buildah, which needs no daemon.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** A Debian that this machine made from packages. Its suite is the one of the Dockerfile's base. */
const SUITE = "trixie";
const OWN_BASE = `localhost/kurs-base:${SUITE}`;

/** Neither needs a kernel module, and a setting of this machine comes first. */
const env = { STORAGE_DRIVER: "vfs", BUILDAH_ISOLATION: "chroot", ...process.env };

/**
 * Chooses what the image is built on: BASE_IMAGE, else the Dockerfile's base, else, where its
 * registry cannot be reached, a Debian that mmdebstrap makes. Says so in the last case.
 *
 * @returns {string}
 * @throws {Error} that says what to install or to set, when there is none.
 */
export function chooseBase() {
  if (!isInstalled("buildah")) throw new Error("The image needs buildah: apt-get install buildah.");
  if (process.env.BASE_IMAGE !== undefined) return process.env.BASE_IMAGE;
  const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
  const base = /^ARG BASE_IMAGE=(\S+)$/m.exec(dockerfile)?.[1] ?? "";
  const pull = spawnSync("buildah", ["pull", "--quiet", base], { env, encoding: "utf8" });
  if (pull.status === 0) return base;
  const reason = pull.stderr.trim().split("\n").at(-1)?.replace("Error: ", "");
  if (!isInstalled("mmdebstrap")) {
    const ways = "set BASE_IMAGE to an image that you have, or apt-get install mmdebstrap";
    throw new Error(`${base} cannot be had here (${reason}): ${ways}.`);
  }
  console.error(`${base} cannot be had here (${reason}).`);
  console.error(`The image is built on ${OWN_BASE}, made from Debian's packages, instead.`);
  if (buildah("images", "--quiet", "--filter", `reference=${OWN_BASE}`) === "") makeBase();
  return OWN_BASE;
}

/**
 * @param {string} tag
 * @param {string} base
 * @param {Readonly<Record<string, string>>} settings further build arguments
 */
export function buildImage(tag, base, settings = {}) {
  const registry = run("npm", "config", "get", "registry");
  const all = { BASE_IMAGE: base, NPM_CONFIG_REGISTRY: registry, ...settings };
  const args = Object.entries(all).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
  // The OCI format has no health check.
  buildah("bud", "--quiet", "--format", "docker", ...args, "--tag", tag, root);
}

/**
 * @param {readonly string[]} args
 * @returns {string} what it printed
 */
export function buildah(...args) {
  return run("buildah", ...args);
}

/** Makes a minimal Debian from packages and commits it as an image. */
function makeBase() {
  const directory = mkdtempSync(join(tmpdir(), "kurs-base-"));
  const archive = join(directory, "base.tar");
  run("mmdebstrap", "--variant=apt", "--quiet", SUITE, archive);
  const container = buildah("from", "scratch");
  buildah("add", "--quiet", container, archive, "/");
  // Where this machine trusts an authority of its own, the build must, too.
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  if (authorities !== undefined) {
    buildah("add", "--quiet", container, authorities, "/etc/authorities.pem");
    buildah("config", "--env", "NODE_EXTRA_CA_CERTS=/etc/authorities.pem", container);
  }
  buildah("commit", "--quiet", container, OWN_BASE);
  buildah("rm", container);
  rmSync(directory, { recursive: true });
}

/** @param {string} program */
export function isInstalled(program) {
  return spawnSync(program, ["--version"]).error === undefined;
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {string}
 */
function run(program, ...args) {
  const { status, stdout, error } = spawnSync(program, args, {
    env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status === 0) return stdout.trim();
  throw new Error(
    `${program} ${args[0]} failed${error === undefined ? "" : `: ${error.message}`}.`,
  );
}
