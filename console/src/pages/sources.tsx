import { listSources } from "../api.ts";
import { Button } from "../components/button.tsx";
import { LoadingNotice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { SourceTable } from "../components/source-table.tsx";
import { useAction, useLoading } from "../loading.ts";

export function SourcesPage() {
  const { data: sources, error, reload } = useLoading(listSources, []);
  const again = useAction(reload);
  const isOver = error !== undefined && !error.isPassing;
  return (
    <>
      <PageHead title="Sources">
        Who publishes the rates, on which terms, and when the next publication is expected.
      </PageHead>
      <div class="stack">
        <LoadingNotice error={error} />
        {sources === undefined ? null : <SourceTable sources={sources} />}
        {sources === undefined && !isOver ? <Skeleton what="the sources" heightRem={20} /> : null}
        {sources === undefined && isOver ? (
          <div class="row">
            <Button look="plain" isBusy={again.isBusy} onClick={again.run}>
              Try again
            </Button>
          </div>
        ) : null}
      </div>
    </>
  );
}
