import { readSettings, readThresholds } from "../api/account.ts";
import { listApiKeys } from "../api/keys.ts";
import { listGrants, readDailyUsage, readUsage } from "../api/usage.ts";
import { Days } from "../components/days.tsx";
import { GrantList } from "../components/grant-list.tsx";
import { KeyChoice } from "../components/key-choice.tsx";
import { Link } from "../components/link.tsx";
import { LoadingNotice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PeriodMeter } from "../components/period-meter.tsx";
import { QuotaMails } from "../components/quota-mails.tsx";
import { Segments } from "../components/segments.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { Thresholds } from "../components/thresholds.tsx";
import { type DailyUnits, dailyUnits, ofKey } from "../daily-units.ts";
import { useLoading } from "../loading.ts";
import { type EvenShare, evenShareOf } from "../quota.ts";
import { parameter, setParameters } from "../router.ts";

const ranges = { "7": "7 days", "30": "30 days", "90": "90 days" } as const;

type Range = keyof typeof ranges;

const isRange = (text = ""): text is Range => Object.hasOwn(ranges, text);

/** The usage of the range and the key in the page's address: `?days=7&key=ID`. */
export function UsagePage() {
  const asked = parameter("days");
  const days = isRange(asked) ? asked : "30";
  const period = useLoading(readUsage, []);
  const grants = useLoading(listGrants, []);
  const settings = useLoading(readSettings, []);
  const thresholds = useLoading(readThresholds, []);
  const daily = useLoading(async () => {
    const [rows, apiKeys] = await Promise.all([readDailyUsage(+days), listApiKeys()]);
    return { all: dailyUnits(rows, apiKeys, +days), apiKeys };
  }, [days]);

  const errors = [period, daily, grants, settings, thresholds].map(({ error }) => error);
  // A key without units in this range can be chosen by the address, a key of nobody cannot.
  const { all, apiKeys = [] } = daily.data ?? {};
  const chosen = apiKeys.find(({ id }) => id === parameter("key"));
  const withUnits = all?.keys ?? [];
  const isListed = chosen === undefined || withUnits.some(({ id }) => id === chosen.id);
  const options = isListed ? withUnits : [{ ...chosen, prefix: chosen.key_prefix }, ...withUnits];
  return (
    <>
      <PageHead title="Usage">Every read is counted before its response is sent.</PageHead>
      <div class="stack">
        <LoadingNotice error={errors.find((error) => error !== undefined)} />
        {period.data === undefined ? (
          <Skeleton what="the period" heightRem={9.5} class="period-place" />
        ) : (
          <PeriodMeter usage={period.data} />
        )}
        <section class="card stack" aria-label="Units per day">
          <div class="row-apart">
            <h2>Units per day</h2>
            <div class="row">
              <KeyChoice
                keys={options}
                value={chosen?.id ?? ""}
                onValue={(key) => setParameters({ key: key === "" ? undefined : key })}
              />
              <Segments
                legend="Range"
                options={ranges}
                value={days}
                onValue={(range) => setParameters({ days: range })}
              />
            </div>
          </div>
          {all === undefined || period.data === undefined ? (
            <Skeleton what="the days" heightRem={26} />
          ) : (
            <DaysOrNone
              units={chosen === undefined ? all : ofKey(all, chosen.id)}
              keyName={chosen?.name}
              even={evenShareOf(period.data)}
            />
          )}
        </section>
        {period.data && grants.data?.length ? (
          <GrantList grants={grants.data} usage={period.data} />
        ) : null}
        <QuotaMails settings={settings}>
          {thresholds.data === undefined || daily.data === undefined ? (
            <Skeleton what="the thresholds" heightRem={10} />
          ) : (
            <Thresholds
              thresholds={thresholds.data}
              reload={thresholds.reload}
              keys={apiKeys.filter(({ revoked_at }) => revoked_at === undefined)}
            />
          )}
        </QuotaMails>
      </div>
    </>
  );
}

interface DaysOrNoneProps {
  readonly units: DailyUnits;
  readonly keyName: string | undefined;
  readonly even: EvenShare;
}

function DaysOrNone({ units, keyName, even }: DaysOrNoneProps) {
  if (units.total > 0) return <Days units={units} even={even} />;
  return (
    <div class="empty days-empty">
      <h2>
        No reads {keyName === undefined ? "" : `with “${keyName}” `}in the last {units.days.length}{" "}
        days
      </h2>
      <p>Reads with your keys appear here, day by day.</p>
      <Link class="button" to="/try">
        Try a read
      </Link>
    </div>
  );
}
