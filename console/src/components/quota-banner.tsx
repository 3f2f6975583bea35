import { effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ConsolePage } from "../../../src/platform/pages/paths.ts";
import { ApiError } from "../api/request.ts";
import { lastUsage, readUsage } from "../api/usage.ts";
import { levelOf, type QuotaLevel, warningOf } from "../quota.ts";
import { page } from "../router.ts";
import { session } from "../session.ts";
import { Button } from "./button.tsx";
import { Link } from "./link.tsx";

/** The level whose warning the reader has closed. */
const closed = signal<QuotaLevel>("low");

effect(() => {
  if (session.value === undefined) closed.value = "low";
});

/** These pages show the quota itself. */
const METER_PAGES: readonly (ConsolePage | undefined)[] = ["/home", "/usage"];

/**
 * Warns on every other page from 80 % of the quota on, until it is closed. At the window's lower
 * edge, where it moves no content when it appears.
 */
export function QuotaBanner() {
  const address = page.value;
  const token = session.value?.token;
  useEffect(() => {
    if (token !== undefined) void refresh();
  }, [address, token]);

  const usage = lastUsage.value;
  const level = usage ? levelOf(usage) : "low";
  const isShown = level !== closed.value && !METER_PAGES.includes(address);
  const warning = usage && isShown ? warningOf(usage) : undefined;
  return (
    <div class={`quota-banner quota-${level}`} role="status">
      {warning === undefined ? null : (
        <p>
          {warning} <Link to="/usage">See the usage</Link>{" "}
          <Button
            look="quiet"
            isSmall
            onClick={() => {
              closed.value = level;
            }}
          >
            Close
          </Button>
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
