import { useRef, useState } from "preact/hooks";
import type { CoveredPair, CoveredSource } from "../api/rates.ts";
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
                source={sources.get(pair.source)}
                hidesPublisher={hidesPublisher}
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
  /** Undefined for an import. */
  readonly source: CoveredSource | undefined;
  readonly hidesPublisher: boolean;
}

function PairRow({ pair, source, hidesPublisher }: PairRowProps) {
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
      {hidesPublisher ? null : (
        <span class="pair-publisher">
          <Publisher source={source} />
        </span>
      )}
      <span class="pair-state">
        <PairState pair={pair} source={source} />
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

function Publisher({ source }: { readonly source: CoveredSource | undefined }) {
  if (source === undefined) return <>imported by the operator</>;
  return (
    <Link to="/source" search={`?key=${source.key}`}>
      {source.name}
    </Link>
  );
}

function PairState({ pair, source }: Pick<PairRowProps, "pair" | "source">) {
  const { suspended, missed_publication: isMissed, next_publication: next } = pair;
  // A notice names the sources that are behind; some pairs of a source come by a calendar of
  // their own, which the notice does not cover.
  const isMissedAlone = isMissed && source?.missed_publications === 0;
  return (
    <>
      {suspended ? <span class="badge badge-bad">suspended</span> : null}
      {isMissedAlone ? <span class="badge badge-warn">publication missed</span> : null}
      {next === null ? null : <span>next {formatMinute(next)}</span>}
      {next === null && !isMissed && source !== undefined ? (
        <span>published continuously</span>
      ) : null}
    </>
  );
}
