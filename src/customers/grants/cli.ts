import type { Command } from "commander";
import {
  CommandError,
  type CommandIo,
  type OpenStore,
  type OutputOptions,
  unknownAccount,
} from "../../platform/cli/command.ts";
import { parseFutureMoment } from "../../platform/cli/dates.ts";
import { writeList } from "../../platform/cli/list-writer.ts";
import type { Column } from "../../platform/cli/output.ts";
import { visibleText } from "../../platform/cli/visible-text.ts";
import { wholeNumber } from "../../platform/cli/whole-number.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { pagesOf } from "../../platform/shared/pages.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import { normalizeEmail } from "../../platform/shared/text/email.ts";
import { quoted } from "../../platform/shared/text/visible-text.ts";
import { isUuid } from "../../platform/shared/uuid.ts";
import { grantJson } from "../billing/json.ts";
import { MAX_PLAN_UNITS } from "../billing/rules.ts";
import type { GrantStore, UnitGrant } from "../billing/store.ts";

export interface GrantCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{
    readonly grants: GrantStore;
    readonly accounts: {
      findByEmail(email: string): Promise<{ readonly id: string } | undefined>;
    };
  }>;
}

const REFERENCE_MAX = 200;

const example = "kurs units grant ada@example.org 5000 --reference 'invoice 4711'";

/** Adds `kurs units …`. */
export function grantCommands(program: Command, deps: GrantCommandDeps): void {
  const units = program
    .command("units")
    .description("grant accounts units beside their quota, show and revoke them")
    .addHelpText("after", `\nExample:\n  $ ${example}`);

  units
    .command("grant")
    .description("grant an account units; they can be used from the next read on")
    .argument("<email>")
    .argument("<units>", "how many; once for each reference")
    .requiredOption(
      "--reference <text>",
      `your name for it, such as an invoice, up to ${REFERENCE_MAX} characters`,
    )
    .option("--expires <date>", "at the start of this day in UTC, or at an RFC 3339 time")
    .addHelpText("after", grantHelp)
    .action((email: string, count: string, options: GrantOptions) =>
      grantUnits(deps, email, count, options),
    );

  units
    .command("list")
    .description("show what an account was granted, oldest first, and what is left of it")
    .argument("<email>")
    .option("--json", "print it as JSON")
    .addHelpText("after", "\nExample:\n  $ kurs units list ada@example.org")
    .action((email: string, options: OutputOptions) => listGrants(deps, email, options));

  units
    .command("revoke")
    .description("revoke a grant: no more of it is used; used units stay used")
    .argument("<id>", "as kurs units list shows it")
    .addHelpText("after", "\nExample:\n  $ kurs units revoke 01a1fc7c-4ab2-7000-8000-000000000001")
    .action((id: string) => revokeGrant(deps, id));
}

const grantHelp = `
Granted units are used when the account's quota of the billing period is used up, from the grant
that expires first. What is left of them can be used in later periods, too. The account sees the
reference.

Examples:
  $ ${example}
  $ ${example} --expires 2026-12-31`;

interface GrantOptions {
  readonly reference: string;
  readonly expires?: string;
}

async function grantUnits(
  { openStore, clock, origin, print }: GrantCommandDeps,
  typed: string,
  count: string,
  options: GrantOptions,
): Promise<void> {
  const email = normalizeEmail(typed);
  const units = wholeNumber("units", count, 1, MAX_PLAN_UNITS);
  const reference = visibleText("--reference", options.reference, REFERENCE_MAX);
  const expiresAt =
    options.expires === undefined
      ? undefined
      : parseFutureMoment("--expires", options.expires, clock.nowMs());
  await using store = await openStore();
  const grant = await store.grants.add(email, { units, reference, expiresAt }, origin());
  if (grant === undefined) throw unknownAccount(email);
  const { id, isNew } = grant;
  if (!isNew) {
    const advice = "give another reference, or revoke that one first";
    throw new CommandError(
      `${email} was granted units for ${reference} already, by the grant ${id}: ${advice}`,
    );
  }
  const end = expiresAt === undefined ? "" : ` until ${expiresAt}`;
  print(
    `${email} is granted ${counted(units, "unit")}${end}, for ${reference}; the grant is ${id}`,
  );
}

async function listGrants(deps: GrantCommandDeps, typed: string, { json = false }: OutputOptions) {
  const email = normalizeEmail(typed);
  await using store = await deps.openStore();
  const account = await store.accounts.findByEmail(email);
  if (account === undefined) throw unknownAccount(email);
  const now = timestamp(deps.clock.nowMs());
  const read = (after: string, limit: number) => store.grants.list(account.id, after, limit);
  const toJson = (grant: UnitGrant) => grantJson(grant, now);
  const rows = { columns: columnsOf(toJson), csvColumns: [], toJson };
  const pages = pagesOf("", read, ({ id }) => id);
  const isEmpty = await writeList(pages, { format: "table", json }, rows, deps.write);
  if (isEmpty) deps.print(`${email} was granted no units.`);
}

const columnsOf = (
  toJson: (grant: UnitGrant) => { remaining_units: number },
): Column<UnitGrant>[] => [
  ["ID", ({ id }) => id],
  ["UNITS", ({ units }) => units, "right"],
  ["USED", ({ usedUnits }) => usedUnits, "right"],
  ["LEFT", (grant) => toJson(grant).remaining_units, "right"],
  ["GRANTED", ({ grantedAt }) => grantedAt],
  ["EXPIRES", ({ expiresAt }) => expiresAt ?? "-"],
  ["REVOKED", ({ revokedAt }) => revokedAt ?? "-"],
  ["REFERENCE", ({ reference }) => reference],
];

async function revokeGrant({ openStore, origin, print }: GrantCommandDeps, typed: string) {
  const id = typed.toLowerCase();
  if (!isUuid(id)) {
    const rule = "must be the id of a grant, as kurs units list shows it";
    throw new CommandError(`${quoted(typed)}: ${rule}`, 2);
  }
  await using store = await openStore();
  const by = origin();
  const grant = await store.grants.revoke(id, by);
  if (grant === undefined) {
    throw new CommandError(`there is no grant ${id}: see kurs units list EMAIL`);
  }
  const { units, usedUnits, reference, revokedAt } = grant;
  if (revokedAt !== by.at) throw new CommandError(`the grant ${id} was revoked at ${revokedAt}`);
  print(
    `the grant for ${reference} is revoked: ${usedUnits} of ${counted(units, "unit")} were used`,
  );
}
