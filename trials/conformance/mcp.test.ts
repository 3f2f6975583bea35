import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempDisposable, readdir, readFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startServer } from "../../test/support/other-server.ts";
import { startService } from "../../test/support/service.ts";

const CONFORMANCE = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"),
);

/** A run takes about a second. */
const RUN_MS_MAX = 300_000;

/** Failure messages of checks that need a fixture or a capability that Kurs does not have. */
const reasons = [
  /Tool test_\w+ not found/,
  /Not testable: server does not list the diagnostic tool 'test_\w+'/,
  /Method not found/,
  /Resource (?:not found: )?test:\/\//,
  // For a call of a fixture tool, whose error message these checks do not repeat.
  /^Expected InputRequiredResult with inputRequests and requestState$/,
  /^Prerequisite failed: could not get initial InputRequiredResult with requestState$/,
  /^Server returned JSON-RPC error instead of re-requesting via InputRequiredResult\./,
  /^Server did not provide session ID/,
];

/** Starts a proxy that adds a key to every request, for a client that cannot send one. */
const startKeyProxy = (target: string, apiKey: string) =>
  startServer((incoming, outgoing) => {
    const { method, url = "" } = incoming;
    // Everything else passes unchanged, also Host and Origin.
    const headers = { ...incoming.headers, authorization: `ApiKey ${apiKey}` };
    const passed = request(target + url, { method: String(method), headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });

interface Check {
  /** Its scenario and its own name, as in a baseline. */
  readonly name: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
  readonly details?: { readonly message?: string };
}

/** Runs the official suite against a service, with the requirements of the revision. */
async function runSuite(revision: string, baseline: string) {
  await using service = await startService();
  const { session, apiKey } = await service.newCustomer();
  await using proxy = await startKeyProxy(service.url, apiKey);
  await using directory = await mkdtempDisposable(join(tmpdir(), "kurs-conformance-"));
  const [url, results] = [`${proxy.url}/v1/mcp`, directory.path];
  const options = ["--url", url, "--expected-failures", baseline, "--output-dir", results];
  const program = spawn(
    process.execPath,
    [CONFORMANCE, "server", "--requirements", revision, ...options],
    { cwd: results, env: {}, stdio: ["ignore", "pipe", "pipe"], timeout: RUN_MS_MAX },
  );
  let report = "";
  for (const stream of [program.stdout, program.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      report += text;
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  program.once("error", reject);
  program.once("close", resolve);
  const exitCode = await promise;
  return {
    exitCode,
    report,
    checks: await checksIn(results),
    usedUnits: await service.usedUnits(session),
    /** Log lines of errors and of 5xx. */
    faults: service.logLines.filter((line) => {
      const { level, status = 0 } = JSON.parse(line) as { level: string; status?: number };
      return level === "error" || status >= 500;
    }),
  };
}

/** Every check that a run has written, one directory per scenario. */
async function checksIn(results: string): Promise<Check[]> {
  const checks: Check[] = [];
  for (const directory of await readdir(results)) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(directory)?.[1];
    assert.ok(scenario !== undefined, directory);
    const text = await readFile(join(results, directory, "checks.json"), "utf8");
    for (const { id, ...check } of JSON.parse(text) as (Check & { id: string })[]) {
      checks.push({ ...check, name: `${scenario}:${id}` });
    }
  }
  return checks;
}

const revisions = [
  ["2025-11-25", ["server-initialize:server-initialize", "ping:ping"]],
  [
    "2026-07-28",
    [
      "server-stateless:sep-2575-server-implements-discover",
      "server-stateless:sep-2575-http-server-meta-invalid-400",
      "server-stateless:sep-2575-http-server-header-mismatch-400",
      "server-stateless:sep-2575-server-unsupported-version-error",
      "server-stateless:sep-2575-http-server-method-not-found-404",
      "server-sse-multiple-streams:server-accepts-multiple-post-streams",
      "caching:sep-2549-tools-list-caching-hints",
      "tools-list:tools-list-deterministic-order",
      // The suite does not count these two yet.
      "http-header-validation:sep-2243-server-reject-invalid-headers",
      "http-header-validation:sep-2243-server-reject-error-code",
    ],
  ],
] as const;

for (const [revision, mustPass] of revisions) {
  suite(`MCP conformance ${revision}`, () => {
    const baseline = join(import.meta.dirname, `${revision}.yml`);
    let run: Awaited<ReturnType<typeof runSuite>>;
    let excused: readonly string[] = [];
    const checksOf = (name: string) => run.checks.filter((check) => check.name === name);

    before(async () => {
      run = await runSuite(revision, baseline);
      const entries = (await readFile(baseline, "utf8")).match(/(?<=^ {2}- ).+$/gm);
      excused = entries ?? [];
    });

    test("every required check passes unless it is excused, and no excuse is stale", () => {
      assert.equal(run.exitCode, 0, run.report);
      assert.match(run.report, /Baseline check passed: all failures are expected\./);
    });

    test("each excused check needs a fixture or a capability that Kurs does not have", () => {
      assert.ok(excused.length > 0);
      for (const name of excused) {
        const failed = checksOf(name).filter(({ status }) => status !== "SUCCESS");
        assert.ok(failed.length > 0, `${name} is excused as a whole, or did not run`);
        for (const { errorMessage, details } of failed) {
          const said = errorMessage ?? details?.message ?? "";
          assert.ok(
            reasons.some((reason) => reason.test(said)),
            `${name}: ${said}`,
          );
        }
      }
    });

    test("every check that applies to a service of three tools passes", () => {
      const all = ["tools-list", "tools-name-format"].map((name) => `tools-list:${name}`);
      const rebinding = ["rebinding-rejected", "valid-accepted"].map(
        (name) => `dns-rebinding-protection:localhost-host-${name}`,
      );
      for (const name of [...all, ...rebinding, ...mustPass]) {
        const found = checksOf(name).map(({ status }) => status);
        assert.deepEqual([...new Set(found)], ["SUCCESS"], name);
      }
    });

    test("no message of the service violates the revision's schema", () => {
      const wire = run.checks.filter(({ name }) => name.endsWith(":wire-schema-valid"));
      assert.ok(wire.length > 25);
      assert.deepEqual(
        wire.filter(({ status }) => status !== "SUCCESS"),
        [],
      );
    });

    test("the suite costs the account nothing and causes no internal error", () => {
      assert.equal(run.usedUnits, 0);
      assert.deepEqual(run.faults, []);
    });
  });
}
