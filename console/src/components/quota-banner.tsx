import { useEffect } from "preact/hooks";
import { ApiError } from "../api/request.ts";
import { lastUsage, readUsage } from "../api/usage.ts";
import { countUnits, formatMinute, formatRatio, formatUnits } from "../format.ts";
import { levelOf } from "../quota.ts";
import { page } from "../router.ts";
import { session } from "../session.ts";
import { Link } from "./link.tsx";

/**
 * Warns on every page from 80 % of the quota on. At the window's lower edge, where it moves no
 * content when it appears.
 */
export function QuotaBanner() {
  const address = page.value;
  const token = session.value?.token;
  useEffect(() => {
    if (token !== undefined) void refresh();
  }, [address, token]);

  const usage = lastUsage.value;
  const level = usage === undefined ? "low" : levelOf(usage);
  return (
    <div class={`quota-banner quota-${level}`} role="status">
      {usage === undefined || level === "low" ? null : (
        <p>
          {level === "full"
            ? `The quota is used up: reads are rejected until ${formatMinute(usage.billing_period.end)}. ` +
              "For more units before then, ask the operator of this service."
            : `${formatRatio(usage.usage.utilization)} of the quota is used: ` +
              `${formatUnits(usage.usage.remaining_units)} of ${countUnits(usage.usage.quota_units)} left.`}{" "}
          <Link to="/usage">See the usage</Link>
        </p>
      )}
    </div>
  );
}

/** The page that needs the service reports its failures, not this line. */
async function refresh(): Promise<void> {
  try {
    await readUsage();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
