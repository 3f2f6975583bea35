import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { administer } from "../../harness/postgres.ts";
import { ROOT } from "../../test/architecture/tree.ts";
import { connectMcp, textIn } from "../../test/support/mcp-client.ts";

/** A call of a stand-in. */
export interface Call {
  readonly program: string;
  readonly args: readonly string[];
  /** Where it was called. */
  readonly directory: string;
}

interface StandIn {
  /** Why a document's block does not run the real program. */
  readonly why: string;
  /** What it does besides writing down its call, as a shell sees it. */
  readonly effect?: string;
  /** Throws unless the call fits what this repository contains. */
  check?(call: Call): void | Promise<void>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
};
const lockFile = readFileSync(join(ROOT, "package-lock.json"), "utf8");

/** @returns the value that follows an option. */
function option(args: readonly string[], name: string): string {
  const place = args.indexOf(name);
  assert.ok(place >= 0 && place + 1 < args.length, `${name} is missing: ${args.join(" ")}`);
  return args[place + 1] ?? "";
}

/** An address of MCP and a header with a key, with which a tool can be called. */
async function callTool(url: string, header: string, name: string, given = {}): Promise<string> {
  assert.match(url, /\/v1\/mcp$/);
  const [, authorization = ""] = /^Authorization: (ApiKey \S+)$/.exec(header) ?? [];
  await using mcp = await connectMcp(url, { mode: "legacy", authorization });
  const result = await mcp.call(name, given);
  assert.ok(!result.isError, textIn(result));
  return textIn(result);
}

/** Programs that a machine may lack, or that change the machine. */
export const standIns: Readonly<Record<string, StandIn>> = {
  amtool: { why: "it comes with Debian's Alertmanager" },
  "apt-get": { why: "it changes the machine, and needs the network" },
  chown: {
    why: "the user is not there; a PostgreSQL of a test that a block runs gets its files",
    effect: 'case "$1" in kurs:*) ;; *) exec "$REAL_CHOWN" "$@" ;; esac',
  },
  claude: {
    why: "Claude Code is not in the test workspace, and writes into the user's settings",
    async check({ args }) {
      const [mcp, add, ...rest] = args;
      assert.deepEqual([mcp, add, option(rest, "--transport")], ["mcp", "add", "http"]);
      const url = rest.find((arg) => arg.startsWith("http:") || arg.startsWith("https:")) ?? "";
      await callTool(url, option(rest, "--header"), "get_usage");
    },
  },
  docker: {
    why: "it needs a daemon and the network; `npm run artefacts` builds and runs the image",
    check({ args, directory }) {
      assert.equal(args[0], "compose");
      const file = args.includes("-f") ? option(args, "-f") : "compose.yaml";
      const text = readFileSync(join(directory, file), "utf8");
      assert.match(text, /^services:\n {2}\w/m);
      assert.match(text, /^ +build: \.$/m);
      assert.ok(existsSync(join(directory, "Dockerfile")));
      assert.ok(args.includes("up") && args.at(-1) === "-d", args.join(" "));
    },
  },
  git: {
    why: "the repository's address is the reader's; other commands run the real program",
    effect: `case "$1" in
      clone) ln -s "$CLONE" "$3" ;;
      pull) ;;
      *) exec "$REAL_GIT" "$@" ;;
    esac`,
  },
  gitleaks: {
    why: "it is not in npm; test/customers/api-keys/leak-patterns.test.ts tries its rules",
    effect: 'printf \'[{"Secret":"%s"}]\\n\' "$LEAKED_KEY" > "$7"',
    check({ args, directory }) {
      assert.equal(args[0], "detect");
      assert.match(
        readFileSync(join(directory, option(args, "--config")), "utf8"),
        /^\[\[rules\]\]$/m,
      );
      assert.deepEqual([args[3], args[5]], ["--source", "--report-path"]);
    },
  },
  iostat: { why: "a machine may lack it, and it measures for 15 seconds" },
  journalctl: { why: "there is no service to follow" },
  npm: {
    why:
      "it installs from a registry, and builds what `npm run artefacts` tries; `npm start` and " +
      "the other scripts run the real program",
    effect: `case "$1 \${2-}" in
      start*) export PORT=0; exec "$NODE" "$UNTIL_READY" '"msg":"listening"' "$REAL_NPM" "$@" ;;
      "run prepack" | "run -s") exec "$REAL_NPM" "$@" ;;
      "run build:binary") mkdir -p dist && cp "$BIN/kurs" dist/kurs ;;
    esac`,
    check({ args: [command, ...rest] }) {
      if (command === "run") {
        const script = rest.find((arg) => !arg.startsWith("-")) ?? "";
        assert.ok(manifest.scripts[script] !== undefined, `no script ${script}`);
        if (script === "build") assert.match(manifest.scripts[script], /\/build-pages\.js$/);
      } else if (command === "install") {
        for (const name of rest.filter((arg) => !arg.startsWith("-"))) assertPackage(name);
      } else {
        assert.ok(
          ["start", "test", "prune --omit=dev", "rebuild"].includes([command, ...rest].join(" ")),
        );
      }
    },
  },
  npx: {
    why: "it installs from a registry; `npx -c` runs what is installed",
    effect: 'if [ "$1" = -c ]; then exec sh -c "$2"; fi',
    async check({ args }) {
      if (args[0] === "-c") return;
      assert.match(args[1] ?? "", /^@modelcontextprotocol\/inspector@\d+\.\d+\.\d+$/);
      assert.deepEqual([args[0], option(args, "--method")], ["-y", "tools/call"]);
      const given = JSON.parse(option(args, "--tool-args-json")) as Record<string, string>;
      const url = option(args, "--cli");
      await callTool(url, option(args, "--header"), option(args, "--tool-name"), given);
    },
  },
  pg_dump: { why: "it must be as new as the server" },
  pgrep: {
    why: "a machine may lack it, and other servers may run there",
    effect: 'tr "\\0" " " < "/proc/$SERVER_PID/cmdline" | grep -Eq -- "$2" && echo "$SERVER_PID"',
  },
  promtool: { why: "it comes with Debian's Prometheus" },
  psql: {
    why: "a machine may lack it: the statement runs on a real server all the same",
    async check({ args: [url = "", command, statement = ""] }) {
      assert.equal(command, "-c");
      await administer(url, statement);
    },
  },
  systemctl: {
    why: "it changes the machine; trials/documents/systemd.test.ts checks the unit",
    check({ args, directory }) {
      if (args[0] !== "enable") {
        const others =
          /^(?:daemon-reload|reload caddy|restart prometheus prometheus-alertmanager|(?:start|stop) kurs)$/;
        assert.match(args.join(" "), others);
        return;
      }
      assert.deepEqual(args, ["enable", "--now", "kurs"]);
      const unit = join(directory, "deploy/kurs.service");
      assert.match(readFileSync(unit, "utf8"), /^WantedBy=/m);
    },
  },
  top: { why: "a machine may lack it, and it runs until a key is pressed" },
  useradd: {
    why: "it changes the machine",
    check({ args }) {
      const unit = readFileSync(join(ROOT, "deploy/kurs.service"), "utf8");
      assert.ok(unit.includes(`\nUser=${args.at(-1)}\n`));
      assert.match(option(args, "--home-dir"), /\/var\/lib\/kurs$/);
      assert.ok(unit.includes("\nStateDirectory=kurs\n"));
    },
  },
  vmstat: { why: "a machine may lack it, and it measures for 15 seconds" },
};

/** A package of this project or of the lock file, or the file that `npm pack` writes. */
function assertPackage(name: string): void {
  const isOwn = /\/kurs-(?:client-)?([^/]+)\.tgz$/.exec(name)?.[1] === manifest.version;
  assert.ok(isOwn || lockFile.includes(`"node_modules/${name}"`), `npm install ${name}`);
}
