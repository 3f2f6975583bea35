import { readAccount } from "../api/account.ts";
import { type KeyWithUsage, listKeysWithUsage } from "../api/keys.ts";
import { listSources } from "../api/rates.ts";
import { readDailyUsage, readUsage } from "../api/usage.ts";
import { ConfirmEmail } from "../components/confirm-email.tsx";
import { LimitLines } from "../components/limit-lines.tsx";
import { Link } from "../components/link.tsx";
import { Loaded } from "../components/loaded.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PeriodMeter } from "../components/period-meter.tsx";
import { StaleSources } from "../components/stale-sources.tsx";
import { FORECAST_DAYS, forecastOf } from "../forecast.ts";
import { formatLastDay, formatUnits } from "../format.ts";
import { linesOf } from "../key-limits.ts";

/** The page of the keys shows the others. */
const KEYS_MAX = 5;

async function load() {
  const [account, usage, recent, keys, sources] = await Promise.all([
    readAccount(),
    readUsage(),
    readDailyUsage(FORECAST_DAYS),
    listKeysWithUsage(),
    listSources(),
  ]);
  return { account, usage, recent, keys, sources };
}

/** Where an owner stands: what needs attention, the quota, the keys and the next step. */
export function HomePage() {
  return (
    <>
      <PageHead title="Home">
        What needs your attention, what you have used, and what comes next.
      </PageHead>
      <Loaded load={load} what="your account">
        {({ account, usage, recent, keys, sources }, reload) => (
          <>
            <ConfirmEmail account={account} reload={reload} />
            <StaleSources sources={sources} />
            <PeriodMeter usage={usage} forecast={forecastOf(usage, recent, account)} />
            <ActiveKeys keys={keys.filter((key) => key.revoked_at === undefined)} />
          </>
        )}
      </Loaded>
    </>
  );
}

function ActiveKeys({ keys }: { readonly keys: readonly KeyWithUsage[] }) {
  const mostUsed = keys
    .toReversed()
    .sort((one, other) => other.units - one.units || compare(other.last_used_on, one.last_used_on))
    .slice(0, KEYS_MAX);
  const others = keys.length - mostUsed.length;
  return (
    <section class="card stack-close" aria-labelledby="active-keys">
      <div class="row-apart">
        <h2 id="active-keys">API keys</h2>
        <Link to="/keys">{others > 0 ? `And ${formatUnits(others)} more` : "All keys"}</Link>
      </div>
      {keys.length === 0 ? <p>You need a key to read rates.</p> : null}
      <ul class="stack-close">
        {mostUsed.map(({ id, name, key_prefix, last_used_on, limits }) => (
          <li key={id} class="row-apart key-line">
            <span>
              {name} <code class="key-prefix">{key_prefix}…</code>
              <LimitLines lines={linesOf(limits).filter(({ level }) => level !== "low")} />
            </span>
            <span class="aside">last used: {formatLastDay(last_used_on)}</span>
          </li>
        ))}
      </ul>
      <NextStep keys={keys} />
    </section>
  );
}

/** Orders days such as 2026-11-21; a key without use comes first. */
function compare(one: string | null, other: string | null): number {
  return (one ?? "").localeCompare(other ?? "");
}

function NextStep({ keys }: { readonly keys: readonly KeyWithUsage[] }) {
  const isUsed = keys.some((key) => key.last_used_on !== null);
  return (
    <div class="row">
      {keys.length === 0 ? (
        <Link class="button" to="/keys">
          Create a key
        </Link>
      ) : (
        <Link class={isUsed ? "button button-plain" : "button"} to="/try">
          {isUsed ? "Try a read" : "Try your first read"}
        </Link>
      )}
      <Link class="button button-plain" to="/rates">
        See the rates
      </Link>
    </div>
  );
}
