import { useLayoutEffect, useMemo } from "preact/hooks";
import type { CoveredSource } from "../api/rates.ts";
import { Link } from "../components/link.tsx";
import { LoadingNotice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PairList } from "../components/pair-list.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { MissedBadge, Terms } from "../components/source-table.tsx";
import { type Coverage, loadCoverage } from "../coverage.ts";
import { counted, formatMinute, formatUnits } from "../format.ts";
import { useLoading } from "../loading.ts";
import { parameter } from "../router.ts";
import { archiveOf, fetchedOf, newestOf, nextOf } from "../source-words.ts";

/** One publisher, by the parameter `key` of the page's address. */
export function SourcePage() {
  const key = parameter("key") ?? "";
  const { data: coverage, error } = useLoading(loadCoverage, []);
  const source = coverage?.sources.get(key);
  const isUnknown = coverage !== undefined && source === undefined;
  const title = isUnknown ? "No such publisher" : (source?.name ?? "Publisher");

  useLayoutEffect(() => {
    document.title = `${title} · Kurs`;
  }, [title]);

  return (
    <>
      <PageHead title={title}>
        <Link to="/sources">All publishers</Link>
      </PageHead>
      <div class="stack">
        <LoadingNotice error={error} />
        {coverage === undefined && (error === undefined || error.isPassing) ? (
          <Skeleton what="the publisher" heightRem={30} />
        ) : null}
        {source === undefined || coverage === undefined ? null : (
          <Source source={source} coverage={coverage} />
        )}
      </div>
    </>
  );
}

interface SourceProps {
  readonly source: CoveredSource;
  readonly coverage: Coverage;
}

function Source({ source, coverage: { pairs, sources } }: SourceProps) {
  const own = useMemo(
    () => pairs.filter((pair) => pair.source === source.key),
    [pairs, source.key],
  );
  return (
    <>
      <dl class="card details">
        <dt>State</dt>
        <dd>
          <MissedBadge source={source} />
        </dd>
        <dt>Schedule</dt>
        <dd>{source.schedule}</dd>
        <dt>Next publication</dt>
        <dd>{nextOf(source)}</dd>
        <dt>Last fetched</dt>
        <dd>{fetchedOf(source)}</dd>
        <dt>Newest rates</dt>
        <dd>{newestOf(source)}</dd>
        <dt>Archive</dt>
        <dd>{archiveOf(source)}</dd>
        {source.last_error_at === null ? null : (
          <>
            <dt>Last error</dt>
            <dd>
              {counted(source.failures, "fetch", "fetches")} have failed since the last success,
              most recently on {formatMinute(source.last_error_at)}. Kurs keeps trying.
            </dd>
          </>
        )}
        <dt>Terms</dt>
        <dd>
          <Terms source={source} />
        </dd>
        <dt>Country</dt>
        <dd>{source.country}</dd>
        <dt>Key in the API</dt>
        <dd>
          <code>{source.key}</code>
        </dd>
        <dt>Pairs</dt>
        <dd>{formatUnits(source.pairs)}</dd>
      </dl>
      {own.length === 0 ? null : <PairList pairs={own} sources={sources} hidesPublisher />}
    </>
  );
}
