import { writeEvent } from "../../platform/audit/sql.ts";
import { type Tables, textOf } from "../../platform/storage/columns.ts";
import { type Engine, statement } from "../../platform/storage/engine.ts";
import type { TrustedTimeStore } from "./trusted-time.ts";

export const trustedTimeTables: Tables = { trusted_time: { key: "name", others: "at" } };

/** Selects the trusted time. */
export const NEWEST = "SELECT at FROM trusted_time WHERE name = 'cleanup'";

const STORE = `
  INSERT INTO trusted_time (name, at) VALUES ('cleanup', $1)
  ON CONFLICT (name) DO UPDATE SET at = excluded.at`;

/** Trusts a time, unless a newer one is trusted already. */
export const ADVANCE = `${STORE} WHERE trusted_time.at < excluded.at`;

export function trustedTimeStore(engine: Engine): TrustedTimeStore {
  return {
    async newest() {
      const [row] = await engine.query(NEWEST);
      return row && textOf(row, "at");
    },

    accept: (origin) =>
      engine.transaction(function* () {
        yield statement(STORE, origin.at);
        yield writeEvent("clock.accepted", origin);
      }),
  };
}
