import type { CoveredSource } from "../api/rates.ts";
import { counted, formatUnits } from "../format.ts";
import { Link } from "./link.tsx";
import { Notice } from "./notice.tsx";

/** The notice names this many sources; the page Sources shows the others. */
const NAMED_MAX = 12;

/** Says once which sources have missed a publication, with a link to the page of each. */
export function StaleSources({ sources }: { readonly sources: Iterable<CoveredSource> }) {
  const stale = [...sources].filter((source) => source.missed_publications > 0);
  if (stale.length === 0) return null;
  const others = stale.length - NAMED_MAX;
  return (
    <Notice kind="warn">
      <p>
        {counted(stale.length, "source")} missed a publication, so their pairs have older figures:{" "}
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
