import { useMemo, useState } from "preact/hooks";
import { type Publisher, readPublishers } from "../api/rates.ts";
import { Link } from "../components/link.tsx";
import { Loaded } from "../components/loaded.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PublisherCard } from "../components/publisher-card.tsx";
import { SearchField } from "../components/search-field.tsx";
import { counted, formatUnits } from "../format.ts";
import { howToJoin, isOpen } from "../registration.ts";
import { findPairs, type NamedPair } from "../search.ts";
import { session } from "../session.ts";

/** What a visitor can read with an account: publishers and pairs, without figures. */
export function CoveragePage() {
  return (
    <>
      <PageHead title="Publishers and pairs">
        Whose rates this service has, and whether they are up to date. Reading a rate needs an
        account and costs one unit.
      </PageHead>
      <Loaded load={readPublishers} what="the publishers">
        {(coverage) => <Publishers {...coverage} />}
      </Loaded>
    </>
  );
}

interface PublishersProps {
  readonly publishers: readonly Publisher[];
  readonly currencies: number;
}

function Publishers({ publishers, currencies }: PublishersProps) {
  const [search, setSearch] = useState("");
  const all = useMemo(
    () =>
      publishers.map((publisher) => ({
        publisher,
        pairs: publisher.pairs.map((name) => namedPair(name, publisher.names)),
      })),
    [publishers],
  );
  const found = all
    .map(({ publisher, pairs }) => ({ publisher, pairs: findPairs(pairs, search) }))
    .filter(({ pairs }) => pairs.length > 0);
  const total = sum(all);
  const count = sum(found);
  return (
    <>
      <Join />
      <div class="stack-close">
        <SearchField
          label="Search"
          placeholder="EUR, franc or EUR/USD"
          value={search}
          onValue={setSearch}
        />
        <p class="aside" role="status">
          {count === total
            ? `${counted(total, "pair")} of ${counted(currencies, "currency", "currencies")} ` +
              `from ${counted(publishers.length, "publisher")}`
            : `${formatUnits(count)} of ${counted(total, "pair")}, ` +
              `from ${counted(found.length, "publisher")}`}
        </p>
      </div>
      {[...Map.groupBy(found, ({ publisher }) => publisher.group)].map(([group, members]) => (
        <section key={group} class="stack-close" aria-label={group}>
          <h2>{group}</h2>
          {members.map((each) => (
            <PublisherCard key={each.publisher.name} {...each} />
          ))}
        </section>
      ))}
      {count === 0 ? <NothingFound isEmpty={total === 0} /> : null}
    </>
  );
}

function namedPair(name: string, names: Publisher["names"]): NamedPair {
  const [base = "", quote = ""] = name.split("/");
  return { base, quote, base_name: names[base] ?? null, quote_name: names[quote] ?? null };
}

function sum(parts: readonly { readonly pairs: readonly NamedPair[] }[]): number {
  return parts.reduce((count, { pairs }) => count + pairs.length, 0);
}

/** The way from looking to reading. */
function Join() {
  if (session.value !== undefined) {
    return (
      <div class="row">
        <Link class="button" to="/rates">
          See the rates
        </Link>
      </div>
    );
  }
  if (!isOpen) return <p>{howToJoin}</p>;
  return (
    <div class="row">
      <Link class="button" to="/signup">
        Create an account
      </Link>
    </div>
  );
}

function NothingFound({ isEmpty }: { readonly isEmpty: boolean }) {
  const text = isEmpty
    ? "No publisher has rates here. Rates that the operator imports are shown after a log-in."
    : "Pairs have a direction: EUR/USD does not imply USD/EUR. Search for a single symbol.";
  return (
    <div class="card empty">
      <h2>{isEmpty ? "No publishers" : "No such pair"}</h2>
      <p>{text}</p>
    </div>
  );
}
