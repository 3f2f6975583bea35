import { ownEvent } from "../../platform/audit/rules.ts";
import type { AuditStore } from "../../platform/audit/store.ts";
import { type Clock, DAY_MS } from "../../platform/shared/clock.ts";
import { sessionRequired } from "../../platform/shared/failure.ts";
import {
  type Origin,
  originNow,
  ownerNow,
  type SessionInUse,
} from "../../platform/shared/origin.ts";
import { pagesOf } from "../../platform/shared/pages.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import type { ConsumeAuthAttempt } from "../auth-limit/auth-limiter.ts";
import type { DailyUnits, UsageStore } from "../billing/store.ts";
import { createUsageReads } from "../billing/usage.ts";
import {
  type AdministrationStore,
  type ExportSection,
  exportSections,
  type StoredRow,
} from "./administration.ts";

interface ExportUses {
  readonly store: {
    readonly administration: AdministrationStore;
    readonly audit: AuditStore;
    readonly usage: UsageStore;
  };
  readonly clock: Clock;
}

/**
 * Records an export, and makes it: everything that is stored about an account, as JSON text in
 * pieces of bounded size. An account may have 10,000 keys, and units of each on every day.
 *
 * @param accountId not an email, which another account may have by then.
 * @returns undefined, and records nothing, when there is no such account.
 */
export async function exportAccount(
  uses: ExportUses,
  accountId: string,
  origin: Origin,
): Promise<AsyncGenerator<string, void> | undefined> {
  const { store, clock } = uses;
  const account = await store.administration.beginExport(accountId, origin);
  if (account === undefined) return undefined;
  const { createdAt, row } = account;
  const days = Math.ceil((clock.nowMs() - Date.parse(createdAt)) / DAY_MS) + 1;
  const { readDays } = createUsageReads(uses);

  return (async function* () {
    const at = JSON.stringify(origin.at);
    yield `{\n  "exported_at": ${at},\n  "account": ${JSON.stringify(row)},\n`;
    for (const name of exportSections) {
      yield* listText(name, sectionPages(store.administration, name, accountId));
    }
    yield* listText("daily_usage", dailyPages(readDays(accountId, days)));
    yield* listText("events", eventPages(store.audit, accountId), "");
    yield "}\n";
  })();
}

/**
 * Makes the export of an account for its owner. A second event records whether it was sent whole,
 * without the address: the account may be deleted by then.
 *
 * @param isSent resolves when the response has ended.
 * @throws {Failure} `too_many_requests`, because each export adds an event to the audit log;
 *   `unauthorized` when the session has lost its access meanwhile.
 */
export type ExportOwnAccount = (
  session: SessionInUse,
  isSent: Promise<boolean>,
) => Promise<AsyncGenerator<string, void>>;

export function createExportOwnAccount(
  uses: ExportUses & {
    readonly secrets: Pick<Secrets, "uuid" | "hash">;
    readonly consumeAuthAttempt: ConsumeAuthAttempt;
    readonly onError: (error: unknown) => void;
  },
): ExportOwnAccount {
  return async (session, isSent) => {
    const { accountId, clientAddress } = session;
    await uses.consumeAuthAttempt(clientAddress, `export of ${accountId}`);
    const pieces = await exportAccount(uses, accountId, ownerNow(session, uses));
    if (pieces === undefined) throw sessionRequired;
    const recordEnd = (isWhole: boolean) => {
      const action = isWhole ? "account.exported" : "account.export_cut_off";
      return uses.store.audit.record(action, originNow({ kind: "service" }, uses), { accountId });
    };
    isSent.then(recordEnd).catch(uses.onError);
    return pieces;
  };
}

/** A member of the export: a row per line. */
async function* listText(name: string, pages: AsyncIterable<readonly StoredRow[]>, end = ",") {
  yield `  ${JSON.stringify(name)}: [`;
  let separator = "\n";
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((row) => `    ${JSON.stringify(row)}`).join(",\n");
    separator = ",\n";
  }
  yield `\n  ]${end}\n`;
}

async function* sectionPages(
  store: AdministrationStore,
  section: ExportSection,
  accountId: string,
) {
  const read = (after: string, limit: number) => store.section(section, accountId, after, limit);
  for await (const page of pagesOf("", read, ({ place }) => place)) {
    yield page.map(({ row }) => row);
  }
}

async function* dailyPages(pages: AsyncIterable<readonly DailyUnits[]>) {
  for await (const page of pages) {
    yield page.map(({ day, keyId, units }) => ({ date: day, api_key_id: keyId, units }));
  }
}

/** As an owner sees them, who may read an export. */
async function* eventPages(audit: AuditStore, accountId: string) {
  const read = (before: string | undefined, limit: number) =>
    audit.ofAccount(accountId, before, limit);
  for await (const page of pagesOf(undefined, read, ({ id }) => id)) {
    yield page.map(ownEvent);
  }
}
