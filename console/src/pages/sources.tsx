import { listSources } from "../api/rates.ts";
import { Loaded } from "../components/loaded.tsx";
import { PageHead } from "../components/page-head.tsx";
import { SourceTable } from "../components/source-table.tsx";

export function SourcesPage() {
  return (
    <>
      <PageHead title="Publishers">
        Who publishes the rates, and when. The terms are on the page of each publisher.
      </PageHead>
      <Loaded load={listSources} what="the publishers">
        {(sources) => <SourceTable sources={sources} />}
      </Loaded>
    </>
  );
}
