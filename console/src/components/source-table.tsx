import type { SourceWithPairs } from "../api.ts";
import { formatMinute, formatUnits } from "../format.ts";
import { Scroll } from "./scroll.tsx";

/** The most missed publications that the service counts. */
const MISSED_MAX = 99;

/** The sources of a service, in their order of precedence. */
export function SourceTable({ sources }: { readonly sources: readonly SourceWithPairs[] }) {
  if (sources.length === 0) return <NoSources />;
  return (
    <Scroll name="Sources as a table">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Publisher</th>
            <th scope="col">Country</th>
            <th scope="col">Terms</th>
            <th scope="col">Schedule</th>
            <th scope="col" class="number">
              Pairs
            </th>
            <th scope="col">State</th>
            <th scope="col">Next publication</th>
          </tr>
        </thead>
        <tbody>
          {sources.map((source) => (
            <tr key={source.key}>
              <th scope="row">{source.name}</th>
              <td>{source.country}</td>
              <td>
                <Terms source={source} />
              </td>
              <td>{source.schedule}</td>
              <td class="number">{formatUnits(source.pairs)}</td>
              <td>{stateOf(source)}</td>
              <td>{source.next_publication && formatMinute(source.next_publication)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Terms({
  source: { name, terms, terms_url: address },
}: {
  readonly source: SourceWithPairs;
}) {
  if (!address) return <>{terms}</>;
  return (
    <>
      {terms}{" "}
      <a href={address} rel="noreferrer" aria-label={`The terms of ${name}`}>
        Read them
      </a>
    </>
  );
}

function stateOf({ missed_publications: missed }: SourceWithPairs): string {
  if (missed === 0) return "up to date";
  if (missed === 1) return "1 publication missed";
  return `${missed < MISSED_MAX ? missed : `${MISSED_MAX} or more`} publications missed`;
}

function NoSources() {
  return (
    <div class="card empty">
      <h2>No sources</h2>
      <p>No publisher is switched on. The operator imports the rates of this service.</p>
    </div>
  );
}
