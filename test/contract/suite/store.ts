import { after, suite } from "node:test";
import { accountSuite, invitationSuite, settingsSuite } from "./accounts.ts";
import { administrationSuite, auditSuite } from "./administration.ts";
import { authLimitSuite, planRemovalSuite, planSuite } from "./auth-limits-and-plans.ts";
import { cleanupSuite } from "./cleanup.ts";
import { backfillSuite, coverageSuite } from "./coverage.ts";
import { apiKeySuite, burnSuite, sessionListSuite, sessionSuite } from "./credentials.ts";
import { dailyUsageSuite, keyUsageSuite, usageExportSuite } from "./daily-usage.ts";
import { type CreateDatabase, storeTestOn } from "./database.ts";
import { disagreementSuite } from "./disagreements.ts";
import { engineSuite } from "./engine.ts";
import { grantSuite } from "./grants.ts";
import { historySuite } from "./history.ts";
import { historyReadSuite } from "./history-reads.ts";
import { keyLimitSuite } from "./key-limits.ts";
import { limitedReadSuite } from "./limited-reads.ts";
import { mailTokenSuite } from "./mail-tokens.ts";
import { outboxSuite } from "./mails.ts";
import { boundarySuite, meterSuite } from "./meter.ts";
import { endNoticeSuite, ownThresholdSuite } from "./own-thresholds.ts";
import { pastReadSuite } from "./past-reads.ts";
import { quotaNoticeSuite } from "./quota-notices.ts";
import { rateSuite, signatureSuite } from "./rates.ts";
import { retentionSuite } from "./retention.ts";
import { seriesSuite } from "./series.ts";
import { exportSuite, seriesReadSuite } from "./series-reads.ts";
import { statementSuite } from "./statements.ts";

const PARTS = {
  accounts: accountSuite,
  administration: administrationSuite,
  "audit log": auditSuite,
  invitations: invitationSuite,
  sessions: sessionSuite,
  "list of sessions": sessionListSuite,
  "API keys": apiKeySuite,
  "burned credentials": burnSuite,
  "auth limiter": authLimitSuite,
  "mail tokens": mailTokenSuite,
  outbox: outboxSuite,
  "plans and usage": planSuite,
  "granted units": grantSuite,
  "removal of plans": planRemovalSuite,
  "daily usage": dailyUsageSuite,
  "usage of each key": keyUsageSuite,
  "statements of usage": statementSuite,
  "usage of all accounts": usageExportSuite,
  "quota notices": quotaNoticeSuite,
  "thresholds of one's own": ownThresholdSuite,
  "notices of keys that end": endNoticeSuite,
  settings: settingsSuite,
  rates: rateSuite,
  disagreements: disagreementSuite,
  series: seriesSuite,
  "reads of series": seriesReadSuite,
  exports: exportSuite,
  history: historySuite,
  "reads of history": historyReadSuite,
  "retention of history": retentionSuite,
  signatures: signatureSuite,
  backfills: backfillSuite,
  coverage: coverageSuite,
  cleanup: cleanupSuite,
  "metered reads": meterSuite,
  "limits of keys": keyLimitSuite,
  "limited reads": limitedReadSuite,
  "reads at boundaries": boundarySuite,
  "reads of past times": pastReadSuite,
  transactions: engineSuite,
};

/**
 * Tests every operation of the Store port with its edge cases; each engine must pass all of them.
 *
 * @param cleanUp runs after the tests of each part.
 */
export function storeSuite(
  name: string,
  createDatabase: CreateDatabase,
  cleanUp: () => Promise<void> = () => Promise.resolve(),
): void {
  for (const [part, addTests] of Object.entries(PARTS)) {
    suite(`${name}: ${part}`, () => {
      after(cleanUp);
      addTests(storeTestOn(createDatabase));
    });
  }
}
