import type { CoveredSource } from "../api/rates.ts";
import { counted, formatDays, formatOld, formatUnits } from "../format.ts";
import { unreachedSince } from "../source-words.ts";
import { Link } from "./link.tsx";
import { Notice } from "./notice.tsx";

/** The notice names this many publishers; the page Publishers shows the others. */
const NAMED_MAX = 12;

/** Says once that all rates are old, or which publishers have missed a publication. */
export function StaleSources({ sources }: { readonly sources: Iterable<CoveredSource> }) {
  const all = [...sources];
  const stale = all.filter((source) => source.missed_publications > 0);
  if (stale.length === 0) return null;
  const since = unreachedSince(all);
  if (since !== undefined) {
    return (
      <Notice kind="bad">
        <h2>The rates are from {formatDays(...since)}: no publisher has been reached since.</h2>
        <p>
          The newest are {formatOld(since[1])}, and a read still costs a unit. Ask the operator of
          this service when to expect newer ones.
        </p>
      </Notice>
    );
  }
  const others = stale.length - NAMED_MAX;
  return (
    <Notice kind="warn">
      <p>
        {counted(stale.length, "publisher has", "publishers have")} missed a publication, so some
        rates are older than usual:{" "}
        {stale.slice(0, NAMED_MAX).map(({ key, name }, index) => (
          <span key={key}>
            {index === 0 ? "" : ", "}
            <Link to="/source" search={`?key=${key}`}>
              {name}
            </Link>
          </span>
        ))}
        {others > 0 ? ` and ${formatUnits(others)} more` : ""}.
      </p>
    </Notice>
  );
}
