import type { Usage } from "../api.ts";
import { countUnits, formatDaysUntil, formatMinute, formatRatio, formatUnits } from "../format.ts";

/** The period's units: used, left, and when they reset. */
export function PeriodMeter({ usage: { plan, billing_period, usage } }: { readonly usage: Usage }) {
  const { used_units, quota_units, remaining_units, utilization } = usage;
  const isFull = remaining_units === 0;
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
        class={`meter ${isFull ? "meter-full" : ""}`}
        aria-label="Units used"
        aria-valuetext={`${share} used`}
        value={Math.min(utilization, 1)}
      />
      <p class="row-apart aside">
        <span>
          {share} used, {formatUnits(remaining_units)} left
          {isFull ? ": reads are rejected until the reset" : ""}
        </span>
        <span>
          Resets {formatDaysUntil(billing_period.end)}, on {formatMinute(billing_period.end)}
        </span>
      </p>
    </section>
  );
}
