import { buildah, buildImage } from "../../scripts/build-image.js";

const TAG = "localhost/kurs";

interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
}

/**
 * Builds the image on a base and mounts its files. Disposing of the result removes what was made
 * for it, not the image.
 */
export function openImage(base: string) {
  buildImage(TAG, base);
  const container = buildah("from", TAG);
  const mount = buildah("mount", container);
  const { Docker, OCIv1 } = JSON.parse(buildah("inspect", "--type", "image", TAG));
  return {
    mount,
    config: { ...OCIv1.config, ...Docker.config } as ImageConfig,
    async [Symbol.asyncDispose]() {
      buildah("rm", container);
    },
  };
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
    mkdir -p "$1/proc" "$1/dev"
    mount --bind "$1" "$1"
    mount -o remount,ro,bind "$1"
    mount -t proc proc "$1/proc"
    mount --bind /dev "$1/dev"
    mount --bind "$2" "$1/data"
    shift 2
    exec "$@"`;
  const environment = ["env", "-i", ...config.Env, ...settings];
  const program = ["/usr/sbin/chroot", `--userspec=${config.User}`, mount, ...config.Entrypoint];
  const inside = [...environment, ...program, ...args];
  return ["unshare", "--mount", "sh", "-c", script, "sh", mount, volume, ...inside];
}
