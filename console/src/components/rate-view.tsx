import { isImport } from "../../../src/rates/served/rules/update-policy.ts";
import { type Coverage, isLate } from "../coverage.ts";
import { formatMinute, formatOld, groupDigits } from "../format.ts";
import type { Outcome, RateSource } from "../outcome.ts";
import { stateOf } from "../source-words.ts";
import { Link } from "./link.tsx";

interface RateViewProps {
  readonly rate: NonNullable<Outcome["rate"]>;
  readonly source: RateSource | undefined;
  /** Of a past date: how many publications the service lacks; undefined for the newest rate. */
  readonly gap: number | undefined;
  readonly coverage: Coverage | undefined;
}

/** A rate that was read, what an amount comes to at it, who published it, and how old it is. */
export function RateView({ rate, source, gap, coverage }: RateViewProps) {
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
        {gap === undefined ? <span class={look}>{formatOld(rate.as_of)}</span> : null}
        {gap ? <span class="badge badge-warn">{stateOf(gap, 0)}</span> : null}
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
