import type { CoveredSource } from "../api/rates.ts";
import { formatMinute, formatUnits } from "../format.ts";
import { nextOf, stateOf } from "../source-words.ts";
import { Link } from "./link.tsx";
import { Scroll } from "./scroll.tsx";

const COLUMNS = 5;

/** The publishers of a service by groups, in each of them in their order of precedence. */
export function SourceTable({ sources }: { readonly sources: readonly CoveredSource[] }) {
  if (sources.length === 0) return <NoSources />;
  return (
    <Scroll name="Publishers as a table">
      <table class="table table-stacked">
        <thead>
          <tr>
            <th scope="col">Publisher</th>
            <th scope="col">Newest rates</th>
            <th scope="col">State</th>
            <th scope="col">Next publication</th>
            <th scope="col" class="number">
              Pairs
            </th>
          </tr>
        </thead>
        {[...Map.groupBy(sources, ({ group }) => group)].map(([group, members]) => (
          <tbody key={group}>
            <tr>
              <th scope="rowgroup" colSpan={COLUMNS}>
                {group}
              </th>
            </tr>
            {members.map((source) => (
              <SourceRow key={source.key} source={source} />
            ))}
          </tbody>
        ))}
      </table>
    </Scroll>
  );
}

interface SourceProps {
  readonly source: CoveredSource;
}

function SourceRow({ source }: SourceProps) {
  return (
    <tr>
      <th scope="row">
        <Link to="/source" search={`?key=${source.key}`}>
          {source.name}
        </Link>
      </th>
      <td data-label="Newest rates">
        {source.newest_as_of === null ? "none yet" : formatMinute(source.newest_as_of)}
      </td>
      <td data-label="State">
        <MissedBadge source={source} />
      </td>
      <td data-label="Next publication">{nextOf(source)}</td>
      <td data-label="Pairs" class="number">
        {formatUnits(source.pairs)}
      </td>
    </tr>
  );
}

interface TermsProps {
  readonly source: Pick<CoveredSource, "name" | "terms"> & { readonly terms_url: string | null };
}

export function Terms({ source: { name, terms, terms_url: address } }: TermsProps) {
  if (!address) return <>{terms}</>;
  return (
    <>
      {terms}{" "}
      <a class="no-break" href={address} rel="noreferrer" aria-label={`The terms of ${name}`}>
        Read them
      </a>
    </>
  );
}

/** Whether a publisher is up to date; amber when it has missed a publication, also of some pairs. */
export function MissedBadge({ source }: SourceProps) {
  const { missed_publications: missed, missed_pairs: pairs } = source;
  const look = missed + pairs === 0 ? "badge-good" : "badge-warn";
  return <span class={`badge ${look}`}>{stateOf(missed, pairs)}</span>;
}

function NoSources() {
  return (
    <div class="card empty">
      <h2>No publishers</h2>
      <p>No publisher is switched on. The operator imports the rates of this service.</p>
    </div>
  );
}
