import { effect, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { CoveredPair } from "../api/rates.ts";
import { Filter } from "../components/filter.tsx";
import { Loaded } from "../components/loaded.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PairList } from "../components/pair-list.tsx";
import { SearchField } from "../components/search-field.tsx";
import { StaleSources } from "../components/stale-sources.tsx";
import { type Coverage, loadCoverage, nameOf } from "../coverage.ts";
import { counted, formatUnits } from "../format.ts";
import { majorsFirst } from "../majors.ts";
import { parameter, setParameters } from "../router.ts";
import { findPairs } from "../search.ts";
import { session } from "../session.ts";
import { nameOfSource } from "../source-words.ts";

/** Kept while another page is shown: "back" leads to the same pairs. */
const search = signal("");

effect(() => {
  if (session.value === undefined) search.value = "";
});

export function RatesPage() {
  return (
    <>
      <PageHead title="Rates">
        The pairs that you can read, by publisher. Looking is free; a read costs one unit.
      </PageHead>
      <Loaded load={loadCoverage} what="the pairs">
        {(coverage) => <Pairs coverage={coverage} />}
      </Loaded>
    </>
  );
}

/** The pairs that the search and the filters in the address leave: `?base=EUR&source=ecb`. */
function Pairs({ coverage: { pairs, sources } }: { readonly coverage: Coverage }) {
  const base = parameter("base");
  const source = parameter("source");
  const sorted = useMemo(() => {
    const bySource = Map.groupBy(majorsFirst(pairs), ({ source }) => source);
    // Publishers in their order of precedence, then imports.
    const keys = new Set([...sources.keys(), ...bySource.keys()]);
    return [...keys].flatMap((key) => bySource.get(key) ?? []);
  }, [pairs, sources]);
  const matching = useMemo(() => findPairs(sorted, search.value), [sorted, search.value]);
  const ofBase = matching.filter((pair) => base === undefined || pair.base === base);
  const ofSource = matching.filter((pair) => source === undefined || pair.source === source);
  const found = ofSource.filter((pair) => base === undefined || pair.base === base);
  if (pairs.length === 0) return <NoPairs />;
  return (
    <>
      <StaleSources sources={sources.values()} />
      <Suspended pairs={pairs} />
      <div class="stack-close">
        <div class="filters">
          <SearchField
            label="Search"
            placeholder="EUR, franc or EUR/USD"
            value={search.value}
            onValue={(text) => {
              search.value = text;
            }}
          />
          <Filter
            label="Base"
            all="All bases"
            options={distinct(ofSource, "base").map((value) => ({ value, name: value }))}
            value={base}
            onValue={(value) => setParameters({ base: value })}
          />
          <Filter
            label="Publisher"
            all="All publishers"
            options={distinct(ofBase, "source").map((value) => ({
              value,
              name: nameOfSource(value, sources),
            }))}
            value={source}
            onValue={(value) => setParameters({ source: value })}
          />
        </div>
        <p class="aside" role="status">
          {found.length === pairs.length
            ? counted(found.length, "pair")
            : `${formatUnits(found.length)} of ${counted(pairs.length, "pair")}`}
        </p>
      </div>
      {found.length === 0 ? (
        <NothingFound />
      ) : (
        <PairList key={`${search.value} ${base} ${source}`} pairs={found} sources={sources} />
      )}
    </>
  );
}

function distinct(pairs: readonly CoveredPair[], member: "base" | "source"): readonly string[] {
  return [...new Set(pairs.map((pair) => pair[member]))];
}

/** The notice names this many pairs; the search finds the others. */
const NAMED_MAX = 12;

function Suspended({ pairs }: { readonly pairs: readonly CoveredPair[] }) {
  const suspended = useMemo(() => pairs.filter((pair) => pair.suspended), [pairs]);
  if (suspended.length === 0) return null;
  const names = suspended.slice(0, NAMED_MAX).map(nameOf).join(", ");
  const others = suspended.length - NAMED_MAX;
  return (
    <Notice kind="warn">
      <p>
        Suspended by the operator: {names}
        {others > 0 ? ` and ${formatUnits(others)} more` : ""}. A read of a suspended pair costs a
        unit and returns no rate.
      </p>
    </Notice>
  );
}

function NothingFound() {
  return (
    <div class="card empty">
      <h2>No such pair</h2>
      <p>
        Pairs have a direction: EUR/USD does not imply USD/EUR. Search for one symbol to see its
        pairs, or choose all bases and publishers.
      </p>
    </div>
  );
}

function NoPairs() {
  return (
    <div class="card empty">
      <h2>No rates yet</h2>
      <p>The service has not fetched or imported any rates.</p>
    </div>
  );
}
