import { integerOf, textOf } from "../../platform/storage/columns.ts";
import { type Engine, type Row, statement } from "../../platform/storage/engine.ts";
import type { AuthWindow, AuthWindowStore } from "./auth-limiter.ts";

// Counts a call or restarts an expired window, in one statement. The cleanup removes windows that
// are not restarted. No window ends later than one that starts now: after the clock was set back,
// a client over its budget need not wait until the clock catches up, and no call is lost.
const COUNT_CALL = `
  INSERT INTO auth_windows (scope, calls, ends_at) VALUES ($1, 1, $3)
  ON CONFLICT (scope) DO UPDATE SET
    calls = CASE WHEN auth_windows.ends_at <= $2 THEN 1 ELSE auth_windows.calls + 1 END,
    ends_at = CASE
      WHEN auth_windows.ends_at <= $2 OR auth_windows.ends_at > excluded.ends_at
      THEN excluded.ends_at ELSE auth_windows.ends_at END
  RETURNING calls, ends_at`;

const OPEN_WINDOW = "SELECT calls, ends_at FROM auth_windows WHERE scope = $1 AND ends_at > $2";

export function authWindowStore(engine: Engine): AuthWindowStore {
  return {
    async current(scopes, now) {
      const lookups = scopes.map(async (scope) => {
        const [row] = await engine.query(OPEN_WINDOW, scope, now);
        return row === undefined ? [] : [windowOf(scope, row)];
      });
      return (await Promise.all(lookups)).flat();
    },

    countAttempt: (scopes, now, endsAt) =>
      engine.transaction(function* () {
        const windows: AuthWindow[] = [];
        for (const scope of scopes) {
          const rows = yield statement(COUNT_CALL, scope, now, endsAt);
          windows.push(...rows.map((row) => windowOf(scope, row)));
        }
        return windows;
      }),
  };
}

function windowOf(scope: string, row: Row): AuthWindow {
  return { scope, calls: integerOf(row, "calls"), endsAt: textOf(row, "ends_at") };
}
