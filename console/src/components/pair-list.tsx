import { useRef, useState } from "preact/hooks";
import type { CoveredPair } from "../api/rates.ts";
import { type Coverage, nameOf } from "../coverage.ts";
import { figuresRead } from "../figures.ts";
import { formatClock, formatMinute, groupDigits } from "../format.ts";
import { Link } from "./link.tsx";
import { Pager } from "./pager.tsx";

/** Whatever the number of pairs, the document has no more rows than this. */
const PAIRS_PER_PAGE = 40;

interface PairListProps {
  readonly pairs: readonly CoveredPair[];
  readonly sources: Coverage["sources"];
  /** On the page of a source, whose name need not be repeated. */
  readonly hidesPublisher?: boolean;
}

/** Pairs in groups of one base, a page at a time. */
export function PairList({ pairs, sources, hidesPublisher = false }: PairListProps) {
  const [start, setStart] = useState(0);
  const place = useRef<HTMLElement>(null);
  const turnTo = (next: number) => {
    setStart(next);
    // Also scrolls there: the pager is below the list.
    place.current?.focus();
  };
  const shown = pairs.slice(start, start + PAIRS_PER_PAGE);
  return (
    <section
      class={`card pairs ${hidesPublisher ? "pairs-of-source" : ""}`}
      aria-label="Pairs"
      ref={place}
      tabIndex={-1}
    >
      {groupsIn(shown).map((group) => (
        <div key={group[0]?.base} class="pairs-of-base">
          <h2>
            {group[0]?.base} <span class="pairs-name">{group[0]?.base_name}</span>
          </h2>
          <ul>
            {group.map((pair) => (
              <PairRow
                key={pair.quote}
                pair={pair}
                sources={hidesPublisher ? undefined : sources}
              />
            ))}
          </ul>
        </div>
      ))}
      <Pager start={start} perPage={PAIRS_PER_PAGE} total={pairs.length} onStart={turnTo} />
    </section>
  );
}

/** Runs of pairs with the same base. */
function groupsIn(pairs: readonly CoveredPair[]): readonly (readonly CoveredPair[])[] {
  const groups: CoveredPair[][] = [];
  for (const pair of pairs) {
    const last = groups.at(-1);
    if (last?.[0]?.base === pair.base) last.push(pair);
    else groups.push([pair]);
  }
  return groups;
}

interface PairRowProps {
  readonly pair: CoveredPair;
  /** Without them, the publisher is not shown. */
  readonly sources: Coverage["sources"] | undefined;
}

function PairRow({ pair, sources }: PairRowProps) {
  const { base, quote, quote_name: name } = pair;
  return (
    <li class="pair-row">
      <span class="pair-quote">
        <strong>
          <span class="visually-hidden">{base}/</span>
          {quote}
        </strong>{" "}
        <span class="pairs-name">{name}</span>
        <FigureRead name={nameOf(pair)} />
      </span>
      {sources === undefined ? null : (
        <span class="pair-publisher">
          <Publisher sourceKey={pair.source} sources={sources} />
        </span>
      )}
      <span class="pair-state">
        <PairState pair={pair} />
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

interface PublisherProps {
  readonly sourceKey: string;
  readonly sources: Coverage["sources"];
}

function Publisher({ sourceKey, sources }: PublisherProps) {
  const source = sources.get(sourceKey);
  if (source === undefined) return <>imported by the operator</>;
  return (
    <Link to="/source" search={`?key=${sourceKey}`}>
      {source.name}
    </Link>
  );
}

function PairState({ pair }: { readonly pair: CoveredPair }) {
  const { suspended, missed_publication: isMissed, next_publication: next, source } = pair;
  return (
    <>
      {suspended ? <span class="badge badge-bad">suspended</span> : null}
      {isMissed ? <span class="badge badge-warn">publication missed</span> : null}
      {next === null ? null : <span>next {formatMinute(next)}</span>}
      {next === null && !isMissed && source !== "import" ? (
        <span>published continuously</span>
      ) : null}
    </>
  );
}
