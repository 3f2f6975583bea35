import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../src/platform/shared/clock.ts";
import { bodiesOf } from "../../rates/sources/publishers/recorded.ts";
import { kursUnchecked } from "../../support/command-line.ts";
import { newRateCli } from "../../support/rate-cli.ts";
import { newKeyPem } from "../../support/signatures.ts";

/** An evidence file as a test reads it. */
export type EvidenceJson = Readonly<Record<string, unknown>> & {
  readonly place: Readonly<Record<string, unknown>>;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  readonly signing_key: {
    readonly kid: string;
    readonly jwk: object;
    readonly note: string;
  } | null;
  readonly signature: string | null;
};

const SOURCES = [
  "ecb",
  "nbp",
  "cbr",
  "hmrc",
  "tcmb",
  "hnb",
  "bazg",
  "bazg-monthly",
  "inforeuro",
  "bcra",
  "kraken",
];

/** A store with recorded documents, a directory for files, and the command line. */
export async function newEvidenceCli() {
  const cli = await newRateCli(SOURCES);
  cli.clock.set("2026-08-20T16:00:00.000Z");
  const file = (name: string) => join(cli.directory, name);
  const keyFile = file("signing-key.pem");
  const keyPem = newKeyPem();
  await writeFile(keyFile, keyPem);
  const publicPem = createPublicKey(keyPem).export({ type: "spki", format: "pem" });
  await writeFile(file("operator.pem"), publicPem);
  const signed = { SIGNING_KEY_FILE: keyFile };
  const placed = (command: string) => command.replaceAll(/(^| )@/g, `$1${cli.directory}/`);
  const run = (command: string, env: Readonly<Record<string, string>> = {}) =>
    kursUnchecked(placed(command).split(" "), {
      ...{ dataDirectory: cli.dataDirectory, clock: cli.clock },
      env: { RATE_SOURCES: SOURCES.join(), ...env },
    });
  return {
    ...cli,
    file,
    run,
    keyPem,
    /** Runs a command on a machine without a store. */
    runElsewhere: (
      command: string,
      env: Readonly<Record<string, string>> = {},
      clock: Clock = cli.clock,
    ) => kursUnchecked(placed(command).split(" "), { env, clock }),
    /** Fetches documents of a source, by default the recorded ones. */
    fetch: (
      key: string,
      documents: readonly (string | Uint8Array)[] = bodiesOf(key),
      queries?: readonly string[],
    ) => cli.refresh(key, documents, queries),
    /** Runs a command that makes evidence in the file @out.json. @returns its output and the file. */
    async made(command: string, env: Readonly<Record<string, string>> = signed) {
      const ended = await run(`rates evidence ${command} --out @out.json --force`, env);
      assert.deepEqual([ended.exitCode, ended.stderr], [0, ""], command);
      const text = readFileSync(file("out.json"), "utf8");
      return { stdout: ended.stdout, text, json: JSON.parse(text) as EvidenceJson };
    },
    /** Runs a command that fails and writes no file. @returns its message. */
    async unmade(command: string, exitCode = 1): Promise<string> {
      const ended = await run(`rates evidence ${command} --out @none.json`);
      assert.deepEqual([ended.exitCode, ended.stdout], [exitCode, ""], command);
      assert.ok(!existsSync(file("none.json")), "it wrote a file");
      return ended.stderr;
    },
    /** Verifies a file on a machine without a store. @returns its exit code and its lines. */
    async verified(options = " --key @operator.pem", name = "out.json") {
      const ended = await this.runElsewhere(`rates evidence verify @${name}${options}`);
      assert.equal(ended.stderr, "");
      return [ended.exitCode, ...ended.stdout.trimEnd().split("\n")] as const;
    },
    /** Writes a file. @returns its name as a command takes it. */
    async write(name: string, content: string | Uint8Array): Promise<string> {
      await writeFile(file(name), content);
      return `@${name}`;
    },
  };
}

export type EvidenceCli = Awaited<ReturnType<typeof newEvidenceCli>>;
