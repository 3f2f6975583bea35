import { useState } from "preact/hooks";
import { listApiKeys, readDailyUsage, readSettings, readUsage } from "../api.ts";
import { DailyChart } from "../components/daily-chart.tsx";
import { DailyTable } from "../components/daily-table.tsx";
import { Link } from "../components/link.tsx";
import { LoadingNotice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PeriodMeter } from "../components/period-meter.tsx";
import { QuotaMails } from "../components/quota-mails.tsx";
import { Segments } from "../components/segments.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { type DailyUnits, dailyUnits } from "../daily-units.ts";
import { useLoading } from "../loading.ts";

const ranges = { "7": "7 days", "30": "30 days", "90": "90 days" } as const;

export function UsagePage() {
  const [days, setDays] = useState<keyof typeof ranges>("30");
  const period = useLoading(readUsage, []);
  const settings = useLoading(readSettings, []);
  const daily = useLoading(async () => {
    const [rows, keys] = await Promise.all([readDailyUsage(+days), listApiKeys()]);
    return dailyUnits(rows, keys, +days);
  }, [days]);
  return (
    <>
      <PageHead title="Usage">Every read is counted before its response is sent.</PageHead>
      <div class="stack">
        <LoadingNotice error={period.error ?? daily.error ?? settings.error} />
        {period.data === undefined ? (
          <Skeleton what="the period" heightRem={9.5} class="period-place" />
        ) : (
          <PeriodMeter usage={period.data} />
        )}
        <section class="card stack" aria-label="Units per day">
          <div class="row-apart">
            <h2>Units per day</h2>
            <Segments
              hasHiddenLegend
              legend="Range"
              options={ranges}
              value={days}
              onValue={setDays}
            />
          </div>
          {daily.data === undefined ? (
            <Skeleton what="the days" heightRem={20} />
          ) : (
            <Days units={daily.data} />
          )}
        </section>
        <QuotaMails settings={settings} />
      </div>
    </>
  );
}

function Days({ units }: { readonly units: DailyUnits }) {
  if (units.total === 0) {
    return (
      <div class="empty days-empty">
        <h2>No reads in these {units.days.length} days</h2>
        <p>The reads of your keys appear here, day by day.</p>
        <Link class="button" to="/try">
          Try a read
        </Link>
      </div>
    );
  }
  return (
    <div class="stack">
      <DailyChart units={units} />
      <details>
        <summary>Show as a table</summary>
        <DailyTable units={units} />
      </details>
    </div>
  );
}
