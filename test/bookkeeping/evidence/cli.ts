import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
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

/** A store with recorded documents, a directory for files, and the command line. */
export async function newEvidenceCli() {
  const cli = await newRateCli(["ecb", "nbp", "cbr", "hmrc", "tcmb"]);
  cli.clock.set("2026-08-20T16:00:00.000Z");
  const file = (name: string) => join(cli.directory, name);
  const keyFile = file("signing-key.pem");
  await writeFile(keyFile, newKeyPem());
  const placed = (command: string) => command.replaceAll(/(^| )@/g, `$1${cli.directory}/`);
  const run = (command: string, env: Readonly<Record<string, string>> = {}) =>
    cli.run(placed(command), { env });
  return {
    ...cli,
    file,
    run,
    signed: { SIGNING_KEY_FILE: keyFile },
    /** Runs a command on a machine without a store. */
    runElsewhere: (command: string, env: Readonly<Record<string, string>> = {}) =>
      kursUnchecked(placed(command).split(" "), { env }),
    /** Fetches documents of a source, by default the recorded ones. */
    fetch: (key: string, documents: readonly (string | Uint8Array)[] = bodiesOf(key)) =>
      cli.refresh(key, documents),
    /** Runs a command that makes evidence in the file @out.json. @returns its output and the file. */
    async made(command: string, env: Readonly<Record<string, string>> = {}) {
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
    /** Verifies @out.json on a machine without a store. @returns its exit code and its lines. */
    async verified(options = "", name = "out.json") {
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
