import { createPublicKey } from "node:crypto";
import type { Command } from "commander";
import { CommandError, type OutputOptions } from "../../../platform/cli/command.ts";
import { formatJson } from "../../../platform/cli/output.ts";
import { counted } from "../../../platform/shared/text/counted.ts";
import { visibleLine } from "../../../platform/shared/text/visible-text.ts";
import type { SigningKey } from "../../../rates/served/signing-key.ts";
import type { RateSource } from "../../../rates/sources/source.ts";
import type { ApplicableRateDeps } from "../../applicable-rates/cli/arguments.ts";
import { readLine } from "../../provenance/cli/imported-file.ts";
import type { Check } from "../check.ts";
import { type GivenKeys, summarize, type Verified, verifyEvidence } from "../verify.ts";
import { openedAgain, readWhole } from "./files.ts";

/** The dependencies of the commands on evidence files. */
export interface EvidenceDeps extends ApplicableRateDeps {
  /** The program's version. */
  readonly version: string;
  /** Every source, without settings. */
  readonly knownSources: () => readonly RateSource[];
  /** @throws {ConfigError} */
  readonly settings: () => { readonly signingKey: SigningKey | undefined };
}

interface VerifyOptions extends OutputOptions {
  readonly jwks?: string;
  readonly key?: string;
}

/** Adds `kurs rates evidence verify`. */
export function verifyCommand(
  evidence: Command,
  deps: EvidenceDeps,
  setExitCode: (code: number) => void,
): void {
  evidence
    .command("verify")
    .description("check an evidence file by itself, without a store or a network")
    .argument("<file>", "written by kurs rates evidence, or - for stdin")
    .option("--jwks <file>", "the operator's /.well-known/jwks.json: the key must be in it")
    .option("--key <file>", "the operator's public key in PEM: it must be the key")
    .option("--json", "print the checks as JSON")
    .addHelpText("after", verifyExamples)
    .action(async (file: string, options: VerifyOptions) =>
      setExitCode(await verify(deps, file, options)),
    );
}

const verifyExamples = `
It prints a line for each thing that holds, fails or cannot be checked. Exit code 1 where one fails.

Examples:
  $ kurs rates evidence verify invoice-17.json --jwks jwks.json
  $ kurs rates evidence verify invoice-17.json --key operator.pem --json`;

async function verify(deps: EvidenceDeps, file: string, options: VerifyOptions): Promise<number> {
  const { documents, print } = deps;
  const keys = await readKeys(deps, options);
  const verified = await verifyEvidence(await readWhole(file, deps), {
    documents,
    sources: deps.knownSources(),
    keys,
    readImported: (content, stated) =>
      readLine(openedAgain(content).bytes, stated, deps.readRateFile),
  });
  const failed = verified.checks.filter(({ result }) => result === "fails").length;
  if (options.json) print(formatJson(verifiedJson(verified, failed)));
  else print(describe(verified, failed));
  return failed > 0 ? 1 : 0;
}

function verifiedJson({ evidence, checks }: Verified, failed: number) {
  const summary = evidence === undefined ? null : summarize(evidence);
  return { evidence: summary, holds: failed === 0, checks };
}

function describe({ evidence, checks }: Verified, failed: number): string {
  const open = checks.filter(({ result }) => result === "not checked").length;
  const unchecked = open === 0 ? "" : `; ${counted(open, "thing")} could not be checked`;
  const end =
    failed === 0
      ? `all that was checked holds${unchecked}`
      : `${counted(failed, "check")} failed: do not rely on this file`;
  return [
    ...(evidence === undefined ? [] : [visibleLine(summarize(evidence))]),
    ...checks.map(({ result, text }) => visibleLine(`${words[result].padEnd(13)}${text}`)),
    end,
  ].join("\n");
}

const words: Readonly<Record<Check["result"], string>> = {
  holds: "holds",
  fails: "FAILS",
  "not checked": "not checked",
};

async function readKeys(
  deps: EvidenceDeps,
  { jwks, key }: VerifyOptions,
): Promise<GivenKeys | undefined> {
  if (jwks !== undefined && key !== undefined) {
    throw new CommandError("--jwks and --key exclude each other: pass one", 2);
  }
  const file = jwks ?? key;
  if (file === undefined) return undefined;
  const text = (await readWhole(file, deps, 1)).toString();
  const publicKeys = jwks === undefined ? keyIn(text) : keysIn(text);
  if (publicKeys.length > 0) return { file, publicKeys };
  const wanted = jwks === undefined ? "a public key in PEM" : "a JSON Web Key Set (RFC 7517)";
  throw new CommandError(`${file} has no key of Ed25519: it must be ${wanted}`);
}

/** Each key as `x` of its JSON Web Key. */
function keysIn(text: string): readonly string[] {
  let set: unknown;
  try {
    set = JSON.parse(text);
  } catch {
    return [];
  }
  const { keys } = Object(set) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) return [];
  return keys.flatMap((one: unknown) => {
    const { crv, x } = Object(one) as Readonly<Record<string, unknown>>;
    return crv === "Ed25519" && typeof x === "string" ? [x] : [];
  });
}

function keyIn(pem: string): readonly string[] {
  if (pem.includes("PRIVATE KEY")) return [];
  try {
    const { crv, x } = createPublicKey(pem).export({ format: "jwk" });
    return crv === "Ed25519" && typeof x === "string" ? [x] : [];
  } catch {
    return [];
  }
}
