import type { About } from "./api/rates.ts";
import { counted, countUnits, formatAge } from "./format.ts";
import { isOpen } from "./registration.ts";

/** What a visitor should know of a service's figures. */
export function noteOn(about: About): string {
  const { last_success_at: fetchedAt, free_units: free } = about;
  const fetched = fetchedAt === null ? "" : `Rates were last fetched ${formatAge(fetchedAt)}. `;
  const units = isOpen && free !== null ? `A new account has ${countUnits(free)} a month. ` : "";
  return `${whyLate(about)}${fetched}${units}Looking is free.`;
}

/** Why publishers are not up to date; empty when they are. */
function whyLate(about: About): string {
  const { publishers, publishers_up_to_date: upToDate, publishers_failing: failing } = about;
  const late = publishers - upToDate;
  if (late === 0) return "";
  if (about.last_success_at !== null) {
    const tries = failing === 0 ? "" : "; the service keeps trying";
    return `${counted(late, "publisher has", "publishers have")} missed a publication${tries}. `;
  }
  const why =
    failing === 0
      ? "no fetch from their publishers has succeeded yet"
      : "their publishers cannot be reached, and the service keeps trying";
  return `The rates came with Kurs: ${why}. `;
}
