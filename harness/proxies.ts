import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "./postgres.ts";

// nginx, HAProxy and Caddy with the configurations of deploy/, in front of nodes on this machine.

const DEPLOY = join(import.meta.dirname, "../deploy");

export interface ProxyProgram {
  /** The program, and its Debian package. */
  readonly program: string;
  /** Writes its configuration. @returns the arguments and variables to start it with. */
  prepare(directory: string, port: number, nodes: readonly string[]): Prepared;
}

interface Prepared {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A file of deploy/ with other texts in place of some, each of which must occur. */
function deployed(file: string, replacements: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(DEPLOY, file), "utf8");
  for (const [from, to] of Object.entries(replacements)) {
    assert.ok(text.includes(from), `${file} has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

export const proxies: Readonly<Record<string, ProxyProgram>> = {
  nginx: {
    program: "nginx",
    prepare(directory, port, [one = "", two = ""]) {
      const site = deployed("nginx.conf", {
        "one.internal:8080": one,
        "two.internal:8080": two,
        "listen 80": `listen 127.0.0.1:${port}`,
      });
      const file = join(directory, "nginx.conf");
      const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((name) => `${name}_temp_path ${directory}/${name};`)
        .join(" ");
      writeFileSync(
        file,
        `user ${userInfo().username}; pid ${directory}/pid; daemon off; error_log ${directory}/error.log;
        events {} http { access_log off; ${paths}\n${site} }`,
      );
      return { args: ["-c", file, "-e", join(directory, "error.log")] };
    },
  },
  haproxy: {
    program: "haproxy",
    prepare(directory, port, [one = "", two = ""]) {
      const file = join(directory, "haproxy.cfg");
      const replacements = {
        "one.internal:8080": one,
        "two.internal:8080": two,
        "bind :80": `bind 127.0.0.1:${port}`,
      };
      writeFileSync(file, deployed("haproxy.cfg", replacements));
      return { args: ["-f", file, "-db"] };
    },
  },
  caddy: {
    program: "caddy",
    prepare(directory, port, nodes) {
      const file = join(directory, "Caddyfile");
      writeFileSync(file, deployed("Caddyfile", {}));
      const env = {
        SITE: `http://127.0.0.1:${port}`,
        NODES: [...new Set(nodes)].join(" "),
        // Several run at once.
        CADDY_ADMIN: `unix/${directory}/admin`,
        HOME: directory,
      };
      return { args: ["run", "--config", file, "--adapter", "caddyfile"], env };
    },
  },
};

/** A proxy in a process of its own. Disposing of it ends it. */
export interface RunningProxy extends AsyncDisposable {
  readonly url: string;
}

/** @throws when a program is not installed; the message names its Debian package. */
export function requirePrograms(wanted: readonly ProxyProgram[]): void {
  const missing = wanted
    .map(({ program }) => program)
    .filter((program) => spawnSync(program, ["-v"]).error !== undefined);
  if (missing.length > 0) {
    const packages = missing.join(" ");
    throw new Error(`not installed: ${missing.join(", ")}; on Debian: apt-get install ${packages}`);
  }
}

/**
 * Starts a proxy in front of one or two nodes and waits until it passes requests on.
 *
 * @param directory for its files, which exists or is created.
 * @param nodes their hosts and ports.
 */
export async function startProxy(
  { program, prepare }: ProxyProgram,
  directory: string,
  nodes: readonly string[],
): Promise<RunningProxy> {
  mkdirSync(directory, { recursive: true });
  const port = await freePort();
  const [one = "", two = one] = nodes;
  const { args, env = {} } = prepare(directory, port, [one, two]);
  const child: ChildProcess = spawn(program, args, {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaints = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-4000);
  });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; (await statusOf(`${url}/readyz`)) !== 200; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${complaints}`);
    if (attempt === 200) {
      child.kill("SIGKILL");
      throw new Error(`${program} does not pass requests on: ${complaints}`);
    }
    await pause(100);
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function statusOf(url: string): Promise<number | undefined> {
  const response = await fetch(url).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status;
}
