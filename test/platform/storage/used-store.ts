import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { tables } from "../../../src/app/command-store.ts";
import { listColumns } from "../../../src/platform/storage/copy/tables.ts";
import type { AssetSymbol } from "../../../src/rates/served/rules/symbol.ts";
import { newInvitation } from "../../contract/suite/customers.ts";
import { BY, PERIOD } from "../../contract/suite/origins.ts";
import { kurs } from "../../support/command-line.ts";
import { playSmtp } from "../../support/fake-smtp-server.ts";
import { eventually, mailsIn } from "../../support/mails.ts";
import { signedHeadersOf } from "../../support/rates.ts";
import { startService, TestClock, type TestService } from "../../support/service.ts";
import { newSigningKey } from "../../support/signatures.ts";
import { openSqliteStore, type Store } from "../../support/stores.ts";

const HEADER = "base,quote,rate,as_of\n";

/** The content of a store: the rows of each table as sorted texts. */
export type Contents = Readonly<Record<string, readonly string[]>>;

export const textOf = (row: Readonly<Record<string, unknown>>, columns: readonly string[]) =>
  JSON.stringify(columns.map((column) => shown(row[column])));

function shown(value: unknown): string | null {
  if (value === null) return null;
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value);
}

export function contentsOfSqlite(dataDirectory: string): Contents {
  using database = new DatabaseSync(join(dataDirectory, "kurs.db"));
  const entries = tables.map((table) => {
    const rows = database.prepare(`SELECT * FROM ${table.name}`).all();
    return [table.name, rows.map((row) => textOf(row, listColumns(table))).sort()] as const;
  });
  return Object.fromEntries(entries);
}

/** Uses a service for two months, with every kind of row, and stops it. */
export async function useStore(dataDirectory: string) {
  const run = (args: readonly string[], input = "") => kurs(args, { dataDirectory, input });
  const clock = new TestClock("2026-10-30T12:00:00.000Z");
  const { active, revoked } = await inOctober({ dataDirectory, clock });
  clock.set("2026-11-21T12:00:00.000Z");
  const session = await inNovember({ dataDirectory, clock }, active.apiKey);

  await run(["rates", "import", "-"], `${HEADER}PEPE,USD,0.0000108,2020-01-06T15:00:00Z\n`);
  await run(["rates", "import", "-"], `${HEADER}PEPE,USD,38.87,2020-01-07T15:00:00Z\n`);
  const several = ["27.10", "271.00"].map((rate) => `BRL,ARS,${rate},2020-01-07T15:00:00Z\n`);
  await run(["rates", "import", "-"], `${HEADER}${several.join("")}`);
  {
    // Three commands would do the same, but each takes 0.25 s of CPU time.
    await using store = openSqliteStore(dataDirectory, 1000);
    const pair = { base: "EUR" as AssetSymbol, quote: "CHF" as AssetSymbol };
    await store.rates.suspend(pair, BY);
    await store.plans.set({ name: "pro", unitsPerPeriod: 5000 }, BY);
    await store.accounts.setPlan("ada@example.org", "pro", BY);
    await store.accounts.setQuota("ada@example.org", { units: 25_000, until: BY.at }, BY);
    await store.accounts.setCustomerNumber("ada@example.org", "K-1001", BY);
    await store.invitations.create(newInvitation(), BY);
    await noticeQuota(store);
    const grant = { units: 5000, reference: "invoice 4711", expiresAt: undefined };
    await store.grants.add("ada@example.org", grant, BY);
    const headersOf = signedHeadersOf(newSigningKey());
    await store.rates.renewHeaders("without a signature", headersOf, BY.at);
  }
  addKeyAndRange(dataDirectory);
  const contents = contentsOfSqlite(dataDirectory);
  return { dataDirectory, session, active, revoked, contents };
}

/** What a node stores that signs rates, reads from grants, mails about ends and fills a range. */
function addKeyAndRange(dataDirectory: string): void {
  using database = new DatabaseSync(join(dataDirectory, "kurs.db"));
  database.exec(`
    INSERT INTO signing_keys VALUES ('thumbprint', 'public', '2026-11-21T12:00:00.000Z');
    UPDATE api_keys SET end_notice_days = 7 WHERE lifetime_days = 90;
    INSERT INTO backfilled_ranges
    VALUES ('cnb', '', '', '2025-01-01', '2025-12-31', '2026-11-21T12:00:00.000Z');
    INSERT INTO granted_usage SELECT id, '2026-11', 3 FROM unit_grants`);
}

export type UsedStore = Awaited<ReturnType<typeof useStore>>;

/** Writes the mails about the quota of the account that has used units in November. */
async function noticeQuota(store: Store): Promise<void> {
  const { id = "" } = (await store.accounts.findByEmail("ada@example.org")) ?? {};
  await store.plans.set({ name: "pro", unitsPerPeriod: 4 }, BY);
  await store.quotaNotices.write(id, PERIOD, { ...BY, actor: { kind: "service" } });
  await store.plans.set({ name: "pro", unitsPerPeriod: 5000 }, BY);
}

interface Place {
  readonly dataDirectory: string;
  readonly clock: TestClock;
}

async function read(service: TestService, apiKey: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    const answer = await service.get("/v1/rates/EUR/USD", { apiKey });
    assert.equal(answer.status, 200, answer.text);
  }
}

/** An account with a key that has limits, one that was revoked, and its successor; and a mail that is delivered into a file. */
async function inOctober(place: Place) {
  await using service = await startService(place);
  const session = await service.openSession("ada@example.org");
  const [active, revoked] = [await service.createKey(session), await service.createKey(session)];
  const limits = { expires_at: "90 days", units_per_period: 1000, units_per_day: 100 };
  const keys = "/v1/account/api-keys";
  await service.call("PUT", `${keys}/${active.id}/limits`, { session, json: limits });
  await service.post(`${keys}/${revoked.id}/rotate`, { session, json: {} });
  await read(service, active.apiKey, 5);
  await read(service, revoked.apiKey, 3);
  await service.revokeKey(session, revoked.id);
  await eventually("mail", async () => (await mailsIn(place.dataDirectory))[0]);
  return { active, revoked };
}

/** A second month, with mails that wait because their server is busy. @returns a session. */
async function inNovember(place: Place, apiKey: string): Promise<string> {
  await using smtp = await playSmtp();
  smtp.behave({ reject: "RCPT", code: 450, message: "mailbox busy" });
  await using service = await startService({ ...place, config: { smtpUrl: smtp.url } });
  const session = await service.logIn("ada@example.org");
  await read(service, apiKey, 4);
  await service.openSession("bob@example.org");
  await service.post("/v1/auth/password-reset", { json: { email: "ada@example.org" } });
  await eventually("attempt at each mail", () => (smtp.attempts() >= 2 ? true : undefined));
  return session;
}
