import { useMemo, useRef, useState } from "preact/hooks";
import type { CoveredPair, CoveredSource } from "../api/rates.ts";
import { type Coverage, nameOf } from "../coverage.ts";
import { figuresRead } from "../figures.ts";
import { formatClock, formatMinute, groupDigits } from "../format.ts";
import { datesOf, nameOfSource } from "../source-words.ts";
import { Link } from "./link.tsx";
import { Pager } from "./pager.tsx";
import { MissedBadge } from "./source-table.tsx";

/** Whatever the number of pairs, the document has no more rows than this. */
const PAIRS_PER_PAGE = 40;

interface PairListProps {
  readonly pairs: readonly CoveredPair[];
  readonly sources: Coverage["sources"];
  /** On the page of a publisher, which says the rest itself. */
  readonly hidesPublisher?: boolean;
}

/** Pairs by publisher, a page at a time. */
export function PairList({ pairs, sources, hidesPublisher = false }: PairListProps) {
  const [start, setStart] = useState(0);
  const place = useRef<HTMLElement>(null);
  const turnTo = (next: number) => {
    setStart(next);
    // Also scrolls there: the pager is below the list.
    place.current?.focus();
  };
  const sorted = useMemo(
    () => [...Map.groupBy(pairs, ({ source }) => source).values()].flat(),
    [pairs],
  );
  const shown = sorted.slice(start, start + PAIRS_PER_PAGE);
  return (
    <section class="card pairs" aria-label="Pairs" ref={place} tabIndex={-1}>
      {[...Map.groupBy(shown, ({ source }) => source)].map(([key, group]) => (
        <div key={key} class="pairs-of-publisher">
          {hidesPublisher ? null : (
            <Publisher name={nameOfSource(key, sources)} source={sources.get(key)} />
          )}
          <ul>
            {group.map((pair) => (
              <PairRow key={nameOf(pair)} pair={pair} source={sources.get(key)} />
            ))}
          </ul>
        </div>
      ))}
      <Pager start={start} perPage={PAIRS_PER_PAGE} total={pairs.length} onStart={turnTo} />
    </section>
  );
}

interface PublisherProps {
  readonly name: string;
  /** Undefined for an import. */
  readonly source: CoveredSource | undefined;
}

/** What the pairs of a publisher have in common. */
function Publisher({ name, source }: PublisherProps) {
  if (source === undefined) return <h2>{name}</h2>;
  return (
    <div>
      <div class="row-apart">
        <h2>
          <Link to="/source" search={`?key=${source.key}`}>
            {name}
          </Link>
        </h2>
        <MissedBadge source={source} />
      </div>
      <p class="aside">{datesOf(source)}</p>
    </div>
  );
}

interface PairRowProps {
  readonly pair: CoveredPair;
  readonly source: CoveredSource | undefined;
}

function PairRow({ pair, source }: PairRowProps) {
  const { base, quote, base_name, quote_name } = pair;
  const names = [base_name, quote_name].filter((name) => name !== null).join(", ");
  return (
    <li class="pair-row">
      <span>
        <strong>{nameOf(pair)}</strong> <span class="pairs-name">{names}</span>
        <PairState pair={pair} source={source} />
        <FigureRead name={nameOf(pair)} />
      </span>
      <Link
        class="button button-plain button-small"
        to="/try"
        search={`?base=${base}&quote=${quote}`}
        label={`Try ${nameOf(pair)}`}
      >
        Try it
      </Link>
    </li>
  );
}

function FigureRead({ name }: { readonly name: string }) {
  const figure = figuresRead.value.get(name);
  if (figure === undefined) return null;
  return (
    <span class="pair-figure">
      read at {formatClock(figure.readAt)}: <strong>{groupDigits(figure.rate)}</strong>
    </span>
  );
}

/** What differs from the other pairs of the publisher: some come by a calendar of their own. */
function PairState({ pair, source }: PairRowProps) {
  const { suspended, missed_publication: isMissed, next_publication: next } = pair;
  const isMissedAlone = isMissed && source?.missed_publications === 0;
  const hasOwnNext = next !== null && next !== source?.next_publication;
  if (!(suspended || isMissedAlone || hasOwnNext)) return null;
  return (
    <span class="pair-state">
      {suspended ? <span class="badge badge-bad">suspended</span> : null}
      {isMissedAlone ? <span class="badge badge-warn">publication missed</span> : null}
      {hasOwnNext ? <span>next expected {formatMinute(next)}</span> : null}
    </span>
  );
}
