import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { temporaryDirectory } from "../../test/support/process.ts";

interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
}

/** Neither needs a kernel module, a daemon or a registry. */
const env = { ...process.env, STORAGE_DRIVER: "vfs", BUILDAH_ISOLATION: "chroot" };

function buildah(...args: readonly string[]): string {
  return execFileSync("buildah", args, {
    env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
  }).trim();
}

/**
 * Builds the image of a clone and mounts its files. Disposing of the result removes what was made
 * for it, not the image.
 *
 * @param base the base image; by default a minimal Debian is made with mmdebstrap.
 * @throws an error that names the missing Debian package.
 */
export async function openImage(root: string, base?: string) {
  for (const program of base === undefined ? ["buildah", "mmdebstrap"] : ["buildah"]) {
    if (spawnSync(program, ["--version"]).error !== undefined) {
      throw new Error(`the image needs ${program}: apt-get install ${program}`);
    }
  }
  const from = base ?? (await makeBase());
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const settings = [`BASE_IMAGE=${from}`, `NPM_CONFIG_REGISTRY=${registry}`];
  const args = settings.flatMap((setting) => ["--build-arg", setting]);
  buildah("bud", "--quiet", "--format", "docker", ...args, "--tag", "localhost/kurs", root);
  const container = buildah("from", "localhost/kurs");
  const mount = buildah("mount", container);
  const { Docker, OCIv1 } = JSON.parse(buildah("inspect", "--type", "image", "localhost/kurs"));
  const [size = ""] = execFileSync("du", ["-sm", mount], { encoding: "utf8" }).split("\t");
  return {
    mount,
    sizeMib: Number(size),
    config: { ...OCIv1.config, ...Docker.config } as ImageConfig,
    async [Symbol.asyncDispose]() {
      buildah("rm", container);
    },
  };
}

/** A minimal Debian as an image, from this machine's own package source. */
async function makeBase(): Promise<string> {
  const name = "localhost/kurs-base";
  if (buildah("images", "--quiet", "--filter", `reference=${name}`) !== "") return name;
  await using directory = await temporaryDirectory();
  const archive = join(directory.path, "base.tar");
  execFileSync("mmdebstrap", ["--variant=minbase", "--quiet", "bookworm", archive], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const container = buildah("from", "scratch");
  buildah("add", "--quiet", container, archive, "/");
  // Where this machine trusts an authority of its own, the build must, too.
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  if (authorities !== undefined) {
    buildah("add", "--quiet", container, authorities, "/etc/authorities.pem");
    buildah("config", "--env", "NODE_EXTRA_CA_CERTS=/etc/authorities.pem", container);
  }
  buildah("commit", "--quiet", container, name);
  buildah("rm", container);
  return name;
}

/**
 * The command that runs Kurs in a mounted image as an engine would: with its entry point, its user
 * and its variables, a read-only root and a volume on /data.
 */
export function inImage(
  { mount, config }: { readonly mount: string; readonly config: ImageConfig },
  volume: string,
  variables: Readonly<Record<string, string>>,
  args: readonly string[],
): readonly string[] {
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const script = `
    set -e
    mount --bind "$1" "$1"
    mount -o remount,ro,bind "$1"
    mount -t proc proc "$1/proc"
    mount --bind "$2" "$1/data"
    root=$1 user=$3; shift 3
    exec chroot --userspec="$user" "$root" /usr/bin/env -i "$@"`;
  const entry = [...config.Env, ...settings, ...config.Entrypoint, ...args];
  return ["unshare", "--mount", "sh", "-c", script, "sh", mount, volume, config.User, ...entry];
}
