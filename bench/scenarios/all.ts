import type { Scenario } from "../scenario.ts";
import { backfill } from "./backfill.ts";
import { doctor } from "./doctor.ts";
import { enumeration } from "./enumeration.ts";
import { exporting } from "./export.ts";
import { history } from "./history.ts";
import { hostilePasswords } from "./hostile-passwords.ts";
import { hot } from "./hot.ts";
import { importing } from "./import.ts";
import { limits } from "./limits.ts";
import { logIns } from "./log-ins.ts";
import { slowTexts } from "./long-texts.ts";
import { mcp } from "./mcp.ts";
import { metrics } from "./metrics.ts";
import { million } from "./million.ts";
import { overload } from "./overload.ts";
import { pairs } from "./pairs.ts";
import { past } from "./past.ts";
import { postgres } from "./postgres.ts";
import { proxied } from "./proxied.ts";
import { refusals } from "./refusals.ts";
import { signatures } from "./signatures.ts";
import { spread } from "./spread.ts";
import { start } from "./start.ts";
import { usage } from "./usage.ts";

/** Every scenario, in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  spread,
  hot,
  million,
  refusals,
  past,
  limits,
  metrics,
  signatures,
  usage,
  mcp,
  proxied,
  postgres,
  logIns,
  hostilePasswords,
  slowTexts,
  importing,
  backfill,
  exporting,
  doctor,
  history,
  pairs,
  start,
  enumeration,
  overload,
];
