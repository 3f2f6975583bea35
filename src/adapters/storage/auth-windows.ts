import type { AuthLimitStore, AuthWindow } from "../../application/ports.ts";
import { integerOf, textOf } from "./columns.ts";
import { type Engine, statement } from "./engine.ts";

// Counts and starts anew in one statement. What is over and not asked for again is tidied away.
const COUNT_CALL = `
  INSERT INTO auth_windows (scope, calls, ends_at) VALUES ($1, 1, $3)
  ON CONFLICT (scope) DO UPDATE SET
    calls = CASE WHEN auth_windows.ends_at <= $2 THEN 1 ELSE auth_windows.calls + 1 END,
    ends_at = CASE WHEN auth_windows.ends_at <= $2 THEN excluded.ends_at
      ELSE auth_windows.ends_at END
  RETURNING calls, ends_at`;

export function authLimitStore(engine: Engine): AuthLimitStore {
  return {
    countAuthCall: (scopes, now, endsAt) =>
      engine.transaction(function* () {
        const windows: AuthWindow[] = [];
        for (const scope of scopes) {
          for (const row of yield statement(COUNT_CALL, scope, now, endsAt)) {
            windows.push({ scope, calls: integerOf(row, "calls"), endsAt: textOf(row, "ends_at") });
          }
        }
        return windows;
      }),
  };
}
