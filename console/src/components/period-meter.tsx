import type { Usage } from "../api/usage.ts";
import { countUnits, formatDaysUntil, formatMinute, formatRatio, formatUnits } from "../format.ts";
import { howToGetUnits, levelOf } from "../quota.ts";

interface PeriodMeterProps {
  readonly usage: Usage;
  /** What the period is expected to end with. */
  readonly forecast?: string | undefined;
}

/** The period's units: used, left, and when they reset. */
export function PeriodMeter({ usage: all, forecast }: PeriodMeterProps) {
  const { plan, billing_period, usage } = all;
  const { used_units, quota_units, remaining_units, utilization } = usage;
  const level = levelOf(all);
  const share = formatRatio(utilization);
  return (
    <section class="card stack-close period" aria-label="This period">
      <div class="meter-figures">
        <p class="figure">
          {formatUnits(used_units)} <span class="figure-of">of {countUnits(quota_units)} used</span>
        </p>
        <p class="aside">
          Plan <span class="badge">{plan}</span>
        </p>
      </div>
      <meter
        class="visually-hidden"
        aria-label="Units used"
        aria-valuetext={`${share} used`}
        value={Math.min(utilization, 1)}
      />
      {/* Browsers disagree about the parts and the height of a meter element. */}
      <svg class={`meter quota-${level}`} aria-hidden="true">
        <rect width={`${Math.min(utilization, 1) * 100}%`} height="100%" />
      </svg>
      <p class="row-apart aside">
        <span>
          {share} used, {formatUnits(remaining_units)} left
          {level === "full" ? `: reads are rejected until the reset. ${howToGetUnits}` : ""}
        </span>
        <span>
          Resets {formatDaysUntil(billing_period.end)}, on {formatMinute(billing_period.end)}
        </span>
      </p>
      {forecast === undefined ? null : <p class="aside">{forecast}</p>}
    </section>
  );
}
