import { createPublicKey } from "node:crypto";
import type { Command } from "commander";
import { CommandError, type OutputOptions } from "../../../platform/cli/command.ts";
import { formatJson } from "../../../platform/cli/output.ts";
import { counted } from "../../../platform/shared/text/counted.ts";
import { visibleLine } from "../../../platform/shared/text/visible-text.ts";
import type { SigningKey } from "../../../rates/served/signing-key.ts";
import type { ApplicableRateDeps } from "../../applicable-rates/cli/arguments.ts";
import { readLine } from "../../provenance/cli/imported-file.ts";
import { type Check, type Verdict, verdictOf } from "../check.ts";
import {
  type GivenKeys,
  statedAlone,
  summarize,
  type Verified,
  verifyEvidence,
} from "../verify.ts";
import { openedAgain, readWhole } from "./files.ts";

/** The dependencies of the commands on evidence files. */
export interface EvidenceDeps extends ApplicableRateDeps {
  /** The program's version. */
  readonly version: string;
  /** @throws {ConfigError} */
  readonly settings: () => {
    readonly signingKey: SigningKey | undefined;
    readonly historyDays: number | undefined;
  };
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
It prints a line for each thing that holds, fails or is not proven; for a line of a list, all that
fails or is not proven, or else that it holds. Exit code 1 where one fails, and 3 where none fails
but one is not proven: without the document, or a signature by a key that you passed, nobody can
tell.

Examples:
  $ kurs rates evidence verify invoice-17.json --jwks jwks.json
  $ kurs rates evidence verify invoice-17.json --key operator.pem --json`;

async function verify(deps: EvidenceDeps, file: string, options: VerifyOptions): Promise<number> {
  const keys = await readKeys(deps, options);
  const verified = await verifyWith(deps, await readWhole(file, deps), keys);
  const verdict = verdictOf(allChecks(verified));
  deps.print(options.json ? formatJson(verifiedJson(verified)) : describe(verified));
  return exitCodes[verdict];
}

/** Verifies the bytes of an evidence file. */
export function verifyWith(
  deps: Pick<EvidenceDeps, "clock" | "documents" | "knownSources" | "readRateFile">,
  bytes: Uint8Array,
  keys: GivenKeys | undefined,
): Promise<Verified> {
  return verifyEvidence(bytes, {
    documents: deps.documents,
    sources: deps.knownSources(),
    keys,
    nowMs: deps.clock.nowMs(),
    readImported: (content, stated) =>
      readLine(openedAgain(content).bytes, stated, deps.readRateFile),
  });
}

const exitCodes: Readonly<Record<Verdict, number>> = { holds: 0, fails: 1, "not proven": 3 };

/** The checks of a file and of all its lines. */
const allChecks = ({ checks, lines = [] }: Verified) => [
  ...checks,
  ...lines.flatMap((line) => line.checks),
];

function verifiedJson(verified: Verified) {
  const { evidence, checks, lines } = verified;
  const verdict = verdictOf(allChecks(verified));
  return {
    evidence: evidence === undefined ? null : summarize(evidence),
    verdict,
    holds: verdict === "holds",
    checks,
    stated: evidence === undefined ? null : statedAlone(evidence),
    ...(lines && {
      lines: lines.map(({ line, ...one }) => ({
        ...{ line, evidence: summarize(one.evidence), verdict: verdictOf(one.checks) },
        ...{ checks: one.checks, stated: statedAlone(one.evidence) },
      })),
    }),
  };
}

function describe(verified: Verified): string {
  const { evidence, checks, lines = [] } = verified;
  const all = allChecks(verified);
  const count = (verdict: Verdict) => all.filter(({ result }) => result === verdict).length;
  const ends: Readonly<Record<Verdict, string>> = {
    holds:
      "holds: left to compare is the document with the publisher's, and the rule with your case",
    fails: `${counted(count("fails"), "check")} failed: do not rely on this file`,
    "not proven": `not proven: ${counted(count("not proven"), "thing")} could not be checked`,
  };
  const shown = ({ result, text }: Check) =>
    visibleLine(`${(result === "fails" ? "FAILS" : result).padEnd(12)}${text}`);
  const ofLines = lines.flatMap(({ line, evidence: stated, checks: some }) => {
    const others = some.filter(({ result }) => result !== "holds");
    const right = { result: "holds", text: summarize(stated) } as const;
    const shownOf = others.length === 0 ? [right] : others;
    return shownOf.map(({ result, text }) => shown({ result, text: `line ${line}: ${text}` }));
  });
  const ofList = "of which invoice each line is, and when it was fetched, stored and written here";
  const alone = evidence ? statedAlone(evidence) : lines.length > 0 ? ofList : undefined;
  return [
    ...(evidence === undefined ? [] : [visibleLine(summarize(evidence))]),
    ...[...checks.map(shown), ...ofLines],
    ...(alone === undefined ? [] : [visibleLine(`not checked ${alone}: only the operator knows`)]),
    ends[verdictOf(all)],
  ].join("\n");
}

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
