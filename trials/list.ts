/** What `npm run trials` runs. Each trial ends by itself, and fails by its exit code. */
export interface Trial {
  readonly name: string;
  readonly about: string;
  /** Arguments of Node.js, one list for each process; a `*` in one stands for files. */
  readonly commands: readonly Command[];
  /** The programs that must be there, each with the Debian package that brings it. */
  readonly needs?: Readonly<Record<string, string>>;
}

interface Command {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const tests = (...files: string[]): Command => ({ args: ["--test", ...files] });
const program = (...args: string[]): Command => ({ args });

/** Trials with random choices make new ones in each run; what they print names the seed. */
const seed = String(Date.now() % 1_000_000);

export const trials: readonly Trial[] = [
  {
    name: "faults",
    about: "disks, files, limits, logs and databases that fail",
    commands: [tests("trials/faults/**/*.test.ts")],
  },
  {
    name: "failover",
    about: "the primary is killed or hangs under load, in four variants",
    commands: [program("trials/faults/run-failover.ts", "--seconds", "15")],
  },
  {
    name: "torture",
    about: "kill -9 at random times; no acknowledged change is lost, no read charged twice",
    commands: ["sqlite", "postgres"].map((engine) =>
      program("trials/torture/main.ts", "--engine", engine, "--minutes", "2", "--seed", seed),
    ),
  },
  {
    name: "nodes",
    about: "several nodes on one PostgreSQL: quotas, revocations, restarts, migrations",
    commands: [tests("trials/nodes/*.test.ts")],
  },
  {
    name: "model",
    about: "random stories of customers and operators against a model of the service",
    commands: ["sqlite", "postgres"].map((engine) =>
      program("trials/model/run-model.ts", "--engine", engine, "--minutes", "2", "--seed", seed),
    ),
  },
  {
    name: "limits",
    about: "caps, ends and grants under 64 connections, and while they change; no deadlock",
    commands: ["sqlite", "postgres"].map((engine) =>
      program("trials/limits/run-limits.ts", "--engine", engine, "--times", "100", "--seed", seed),
    ),
  },
  {
    name: "random",
    about: "the property tests of `npm test` with another seed and more inputs",
    commands: [
      {
        ...tests("test/platform/http/fast-path/both-ways.test.ts"),
        env: { PROPERTY_SEED: seed, PROPERTY_RUNS: "20000" },
      },
    ],
  },
  {
    name: "overload",
    about: "slow, greedy and silent clients; random connections that are cut off at any moment",
    commands: [
      {
        ...tests("trials/overload/*.test.ts"),
        env: { PROPERTY_SEED: seed, PROPERTY_RUNS: "20000" },
      },
    ],
  },
  {
    name: "soak",
    about: "300,000 requests of all kinds in flat memory; 10,000 idle connections",
    commands: [
      program("trials/soak/run-soak.ts", "--requests", "300000"),
      program("trials/soak/run-connections.ts"),
    ],
  },
  {
    name: "proxies",
    about: "two nodes behind nginx, HAProxy and Caddy with the configurations of deploy/",
    commands: [program("trials/proxies/run-proxies.ts")],
    needs: { nginx: "nginx", haproxy: "haproxy", caddy: "caddy" },
  },
  {
    name: "patroni",
    about: "the primary of a Patroni cluster is killed again and again under reads",
    commands: [program("trials/patroni/run-patroni.ts")],
    needs: {
      patroni: "patroni",
      etcd: "etcd-server",
      "/usr/lib/postgresql/15/bin/postgres": "postgresql-15",
    },
  },
  {
    name: "artefacts",
    about: "a clone, the package, the image and the executable, as their users get them",
    commands: [program("trials/artefacts/run-artefacts.ts")],
    needs: { buildah: "buildah", mmdebstrap: "mmdebstrap" },
  },
  {
    name: "conformance",
    about: "the official conformance suite of MCP, for both revisions",
    commands: [tests("trials/conformance/*.test.ts")],
  },
  {
    name: "agents",
    about: "agents and libraries that speak MCP, from npm, against a real server",
    commands: [program("trials/agents/run-agents.ts")],
  },
  {
    name: "runtimes",
    about: "the client's package in Node.js and a browser, then in older Node.js, Bun and Deno",
    commands: [tests("trials/runtimes/*.test.ts"), program("trials/runtimes/run-runtimes.ts")],
  },
  {
    name: "firefox",
    about: "the main flows of the console in Firefox",
    commands: [tests("trials/firefox/run-firefox.ts")],
    needs: { "firefox-esr": "firefox-esr" },
  },
  {
    name: "documents",
    about: "every command block of every document",
    commands: [tests("trials/documents/*.test.ts")],
  },
];
