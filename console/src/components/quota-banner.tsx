import { useEffect } from "preact/hooks";
import { ApiError } from "../api/request.ts";
import { lastUsage, readUsage } from "../api/usage.ts";
import { levelOf, warningOf } from "../quota.ts";
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
  const warning = usage && warningOf(usage);
  return (
    <div class={`quota-banner quota-${usage ? levelOf(usage) : "low"}`} role="status">
      {warning === undefined ? null : (
        <p>
          {warning} <Link to="/usage">See the usage</Link>
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
