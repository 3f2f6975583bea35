import { writeEvent } from "../audit/sql.ts";
import { integerOf } from "../storage/columns.ts";
import { type Engine, statement } from "../storage/engine.ts";
import type { SettingsStore } from "./settings.ts";

const SETTINGS = "SELECT quota_mails FROM accounts WHERE id = $1 AND deleted_at IS NULL";

const CHANGE_QUOTA_MAILS = `
  UPDATE accounts SET quota_mails = $2
  WHERE id = $1 AND quota_mails <> $2 AND deleted_at IS NULL RETURNING id`;

export function settingsStore(engine: Engine): SettingsStore {
  return {
    async ofAccount(accountId) {
      const [row] = await engine.query(SETTINGS, accountId);
      return row && { quotaMails: integerOf(row, "quota_mails") === 1 };
    },

    change: (accountId, { quotaMails }, origin) =>
      engine.transaction(function* () {
        const changed = yield statement(CHANGE_QUOTA_MAILS, accountId, quotaMails ? 1 : 0);
        if (changed.length === 0) return;
        const details = { quota_mails: quotaMails };
        yield writeEvent("account.quota_mails_changed", origin, { accountId, details });
      }),
  };
}
