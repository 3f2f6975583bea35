import type { AuthLimitStore, AuthWindow } from "../../application/ports.ts";
import { integerOf, textOf } from "./columns.ts";
import { type Engine, statement } from "./engine.ts";

const REMOVE_OVER = "DELETE FROM auth_windows WHERE ends_at <= $1";

const COUNT_CALL = `
  INSERT INTO auth_windows (scope, calls, ends_at) VALUES ($1, 1, $2)
  ON CONFLICT (scope) DO UPDATE SET calls = auth_windows.calls + 1
  RETURNING calls, ends_at`;

export function authLimitStore(engine: Engine): AuthLimitStore {
  return {
    countAuthCall: (scopes, now, endsAt) =>
      engine.transaction(function* () {
        yield statement(REMOVE_OVER, now);
        const windows: AuthWindow[] = [];
        for (const scope of scopes) {
          for (const row of yield statement(COUNT_CALL, scope, endsAt)) {
            windows.push({ scope, calls: integerOf(row, "calls"), endsAt: textOf(row, "ends_at") });
          }
        }
        return windows;
      }),
  };
}
