import { listSources } from "../api/rates.ts";
import { Loaded } from "../components/loaded.tsx";
import { PageHead } from "../components/page-head.tsx";
import { SourceTable } from "../components/source-table.tsx";

export function SourcesPage() {
  return (
    <>
      <PageHead title="Sources">
        Who publishes the rates, on which terms, and when the next publication is expected.
      </PageHead>
      <Loaded load={listSources} what="the sources">
        {(sources) => <SourceTable sources={sources} />}
      </Loaded>
    </>
  );
}
