import type { Command } from "commander";
import {
  CommandError,
  type CommandIo,
  type OpenStore,
  type OutputOptions,
} from "../../platform/cli/command.ts";
import { type Column, formatJson, table } from "../../platform/cli/output.ts";
import { wholeNumber } from "../../platform/cli/whole-number.ts";
import { Failure } from "../../platform/shared/failure.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import { setKeyLimits } from "./api-keys.ts";
import { findActiveKey, notActive, referenceOf } from "./find-cli.ts";
import { keyLimitsJson } from "./json.ts";
import { CAP_UNITS_MAX, type GivenLimits, type OwnLimits } from "./limits.ts";
import type { ApiKeyStore, OwnedKey } from "./store.ts";

export interface LimitCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{ readonly keys: ApiKeyStore }>;
  readonly secrets: Secrets;
  readonly settings: () => { readonly keyMaxAgeDays: number | undefined };
}

export interface LimitOptions {
  readonly expires?: string;
  readonly perPeriod?: string;
  readonly perDay?: string;
}

/** Adds the options that limit a key. */
export function addLimitOptions(command: Command): Command {
  return command
    .option("--expires <when>", 'its end: an RFC 3339 time, "30 days" from its creation, or never')
    .option("--per-period <units>", "the most units of a billing period, or none")
    .option("--per-day <units>", "the most units of a UTC day, or none");
}

/** @throws {CommandError} a cap is no whole number. */
export function limitsIn({ expires, perPeriod, perDay }: LimitOptions): GivenLimits {
  const cap = (name: string, text: string | undefined) => {
    if (text === undefined) return undefined;
    return text === "none" ? null : wholeNumber(name, text, 1, CAP_UNITS_MAX);
  };
  return {
    end: expires === "never" ? null : expires,
    unitsPerPeriod: cap("--per-period", perPeriod),
    unitsPerDay: cap("--per-day", perDay),
  };
}

/** @throws {CommandError} what a failure says, in the words of the options. */
export function throwAsCommand(error: unknown): never {
  if (!(error instanceof Failure)) throw error;
  const message = error.message.replace(/^expires_at/, "--expires");
  throw new CommandError(message, error.code === "invalid_request" ? 2 : 1);
}

/** Adds `kurs keys limit`. */
export function limitCommand(keys: Command, deps: LimitCommandDeps): void {
  const command = keys
    .command("limit")
    .description("show or set when an API key ends and how many units it may use")
    .argument("<key>", "its id, or its prefix (17 characters: svc_live_ and 8 digits)");
  addLimitOptions(command)
    .option("--json", "print them as JSON")
    .addHelpText("after", limitExamples)
    .action((key: string, options: LimitOptions & OutputOptions) => limitKey(deps, key, options));
}

const limitExamples = `
Without options it shows them. A limit without an option stays as it is. The units of a key and of
those that replaced it by rotation count together, and they have the same two caps.

Examples:
  $ kurs keys limit svc_live_01234567
  $ kurs keys limit svc_live_01234567 --expires "90 days" --per-day 1000
  $ kurs keys limit svc_live_01234567 --expires 2027-01-31T00:00:00Z --per-period none`;

const orNone = (limit: string | number | null, none: string) => String(limit ?? none);

const columns: readonly Column<OwnedKey & OwnLimits>[] = [
  ["ID", ({ id }) => id],
  ["PREFIX", ({ keyPrefix }) => keyPrefix],
  ["EXPIRES", ({ expiresAt }) => orNone(expiresAt, "never")],
  ["PER PERIOD", ({ unitsPerPeriod }) => orNone(unitsPerPeriod, "none")],
  ["PER DAY", ({ unitsPerDay }) => orNone(unitsPerDay, "none")],
  ["NAME", ({ name }) => name],
];

async function limitKey(
  deps: LimitCommandDeps,
  typed: string,
  options: LimitOptions & OutputOptions,
): Promise<void> {
  const { openStore, origin, print, secrets, settings } = deps;
  const reference = referenceOf(typed, secrets.hash);
  const given = limitsIn(options);
  const { keyMaxAgeDays } = settings();
  await using store = await openStore();
  const key = await findActiveKey({ ...deps, store }, reference, "limit");
  const uses = { store, keyMaxAgeDays };
  const limits = await setKeyLimits(uses, key, given, origin()).catch(throwAsCommand);
  if (limits === undefined) throw notActive(reference);
  print(options.json ? formatJson(keyLimitsJson(limits)) : table(columns, [{ ...key, ...limits }]));
}
