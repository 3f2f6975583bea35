import { listSources } from "../api/rates.ts";
import { Link } from "../components/link.tsx";
import { Loaded } from "../components/loaded.tsx";
import { PageHead } from "../components/page-head.tsx";
import { SourceTable } from "../components/source-table.tsx";

export function SourcesPage() {
  return (
    <>
      <PageHead title="Publishers">
        Who publishes the rates, and when. The terms are on the page of each publisher. To see who
        has a currency, <Link to="/coverage">search the pairs</Link>.
      </PageHead>
      <Loaded load={listSources} what="the publishers">
        {(sources) => <SourceTable sources={sources} />}
      </Loaded>
    </>
  );
}
