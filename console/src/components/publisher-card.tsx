import type { Publisher } from "../api/rates.ts";
import { formatUnits } from "../format.ts";
import type { NamedPair } from "../search.ts";
import { Terms } from "./source-table.tsx";

/** A search finds the others. */
const PAIRS_MAX = 200;

/** So few pairs that there is room for the names of their symbols. */
const NAMED_MAX = 12;

interface PublisherCardProps {
  readonly publisher: Publisher;
  /** Those that the search leaves. */
  readonly pairs: readonly NamedPair[];
}

/** A publisher, whether it is up to date, and its pairs. */
export function PublisherCard({ publisher, pairs }: PublisherCardProps) {
  const isNamed = pairs.length <= NAMED_MAX;
  const others = pairs.length - PAIRS_MAX;
  return (
    <section class="card stack-close" aria-label={publisher.name}>
      <div class="row-apart">
        <h3>{publisher.name}</h3>
        <Freshness publisher={publisher} />
      </div>
      <p class="aside">
        {publisher.country}. {publisher.schedule}. <Terms source={publisher} />
      </p>
      <ul class="chips">
        {pairs.slice(0, PAIRS_MAX).map(({ base, quote, base_name, quote_name }) => (
          <li key={`${base}/${quote}`}>
            {base}/{quote}
            {isNamed && base_name !== null && quote_name !== null ? (
              <span class="pairs-name">
                {" "}
                {base_name}, {quote_name}
              </span>
            ) : null}
          </li>
        ))}
      </ul>
      {others > 0 ? <p class="aside">{formatUnits(others)} more: search to find them.</p> : null}
    </section>
  );
}

function Freshness({ publisher: { up_to_date, fetched } }: { readonly publisher: Publisher }) {
  if (up_to_date) return <span class="badge badge-good">up to date</span>;
  if (!fetched) return <span class="badge">not fetched yet</span>;
  return <span class="badge badge-warn">publication missed</span>;
}
