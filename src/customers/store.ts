import type { Engine } from "../platform/storage/engine.ts";
import { accountStore, accountTables } from "./accounts/sql.ts";
import { administrationStore } from "./administration/sql.ts";
import { apiKeyStore, apiKeyTables } from "./api-keys/sql.ts";
import { authWindowStore } from "./auth-limit/sql.ts";
import { endNoticeStore } from "./billing/end-notices-sql.ts";
import { planStore, planTables } from "./billing/plans-sql.ts";
import { quotaNoticeStore } from "./billing/quota-notices-sql.ts";
import { termTables } from "./billing/quota-sql.ts";
import {
  postgresUnitStatements,
  sqliteUnitStatements,
  usageStore,
  usageTables,
} from "./billing/sql.ts";
import { thresholdStore } from "./billing/thresholds-sql.ts";
import { grantStore, grantTables } from "./grants/sql.ts";
import { mailTokenStore, mailTokenTables } from "./mailed-links/sql.ts";
import { mailStore } from "./outbox/sql.ts";
import { invitationStore, invitationTables } from "./registration/sql.ts";
import { sessionStore } from "./sessions/sql.ts";

const unitStatements = { sqlite: sqliteUnitStatements, postgres: postgresUnitStatements };

/** The statements on customers over an engine, in a group for each noun. */
export function customerGroups(engine: Engine, name: keyof typeof unitStatements) {
  return {
    accounts: accountStore(engine),
    administration: administrationStore(engine),
    invitations: invitationStore(engine),
    sessions: sessionStore(engine),
    authWindows: authWindowStore(engine),
    mailTokens: mailTokenStore(engine),
    keys: apiKeyStore(engine),
    plans: planStore(engine),
    grants: grantStore(engine),
    usage: usageStore(engine, unitStatements[name]),
    thresholds: thresholdStore(engine),
    quotaNotices: quotaNoticeStore(engine, unitStatements[name]),
    endNotices: endNoticeStore(engine),
    mails: mailStore(engine),
  };
}

export { mailTables } from "./outbox/sql.ts";

/** Each after those that it references; `mailTables` refer to accounts, too. */
export const customerTables = {
  ...planTables,
  ...accountTables,
  ...termTables,
  ...grantTables,
  ...invitationTables,
  ...mailTokenTables,
  ...apiKeyTables,
  ...usageTables,
};
