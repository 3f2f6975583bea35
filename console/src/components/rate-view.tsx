import { isImport } from "../../../src/rates/rules/update-policy.ts";
import { DAY_MS } from "../../../src/shared/clock.ts";
import { type Coverage, nameOf } from "../coverage.ts";
import { formatMinute, formatOld, groupDigits } from "../format.ts";
import type { Outcome, RateSource } from "../outcome.ts";
import { Link } from "./link.tsx";

interface RateViewProps {
  readonly rate: NonNullable<Outcome["rate"]>;
  readonly source: RateSource | undefined;
  readonly coverage: Coverage | undefined;
}

/** A rate that was read, what an amount comes to at it, who published it, and how old it is. */
export function RateView({ rate, source, coverage }: RateViewProps) {
  const { base, quote, amount, result } = rate;
  const look = isLate(rate, coverage) ? "badge badge-warn" : "badge";
  return (
    <div>
      <p class="rate">
        {groupDigits(amount ?? "1")} <span class="rate-unit">{base} =</span>{" "}
        {groupDigits(result ?? rate.rate)} <span class="rate-unit">{quote}</span>
      </p>
      {amount === undefined ? null : (
        <p>
          at 1 {base} = {groupDigits(rate.rate)} {quote}
        </p>
      )}
      <p class="aside">
        <Publisher source={source} />, as of {formatMinute(rate.as_of)}.{" "}
        <span class={look}>{formatOld(rate.as_of)}</span>
      </p>
    </div>
  );
}

function Publisher({ source }: Pick<RateViewProps, "source">) {
  if (source === undefined) return <>As its publisher wrote it</>;
  if (isImport(source.key)) return <>{source.name}</>;
  return (
    <>
      Published by{" "}
      <Link to="/source" search={`?key=${source.key}`}>
        {source.name}
      </Link>
    </>
  );
}

/** Without a calendar that expects the next one, a rate of another week counts as late. */
const LATE_MS = 7 * DAY_MS;

function isLate(rate: RateViewProps["rate"], coverage: Coverage | undefined): boolean {
  const pair = coverage?.pairOf.get(nameOf(rate));
  if (pair?.missed_publication) return true;
  if (pair !== undefined && pair.next_publication !== null) return false;
  return Date.now() - Date.parse(rate.as_of) > LATE_MS;
}
