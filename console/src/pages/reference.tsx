import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { Loaded } from "../components/loaded.tsx";
import { McpTools } from "../components/mcp-tools.tsx";
import { PageHead } from "../components/page-head.tsx";
import { SearchField } from "../components/search-field.tsx";
import { CallView, idOf } from "../reference/call.tsx";
import { type Call, type Description, loadDescription } from "../reference/description.ts";
import { root } from "../router.ts";
import { isFoundIn } from "../search.ts";
import { address } from "../snippets.ts";

/** The API reference: the description at /openapi.json, to read. */
export function ReferencePage() {
  return (
    <>
      <PageHead title="API reference">
        Every call with its responses and errors. Programs read{" "}
        <a href={`${root}openapi.json`}>openapi.json</a>.
      </PageHead>
      <Loaded load={loadDescription} what="the calls">
        {(description) => <Reference {...description} />}
      </Loaded>
    </>
  );
}

function Reference({ info, tags, calls }: Description) {
  const [search, setSearch] = useState("");
  // A layout effect, so that the call is open when the page is first painted.
  useLayoutEffect(() => {
    openNamedCall();
    addEventListener("hashchange", openNamedCall);
    return () => removeEventListener("hashchange", openNamedCall);
  }, []);
  const groups = useMemo(() => {
    const found = calls.filter((call) => isFound(call, search));
    return tags
      .map((tag) => ({ ...tag, calls: found.filter(({ group }) => group === tag.name) }))
      .filter((group) => group.calls.length > 0);
  }, [tags, calls, search]);
  return (
    <>
      <div class="stack-close aside">
        {info.description.split("\n\n").map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
        <p>Version {info.version}</p>
      </div>
      <div class="reference">
        <nav class="overview" aria-label="Calls">
          <SearchField
            label="Find a call"
            placeholder="rates, key, password"
            value={search}
            onValue={setSearch}
          />
          {groups.map((group) => (
            <div key={group.name} class="overview-group">
              <p>{group.name}</p>
              <ul>
                {group.calls.map(({ operationId, fragment, summary }) => (
                  <li key={operationId}>
                    <a href={fragment} onClick={() => openCall(operationId)}>
                      {summary}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
          {groups.length === 0 ? <p role="status">No call matches.</p> : null}
        </nav>
        <div class="stack">
          {groups.map((group) => (
            <section key={group.name} class="group stack-close" aria-label={group.name}>
              <h2>{group.name}</h2>
              <p class="aside">{group.description}</p>
              <div class="card calls">
                {group.calls.map((call) => (
                  <CallView key={call.operationId} call={call} />
                ))}
              </div>
            </section>
          ))}
          <Mcp />
        </div>
      </div>
    </>
  );
}

function isFound({ group, method, path, summary }: Call, search: string): boolean {
  return isFoundIn(`${group} ${method} ${path} ${summary}`, search);
}

/** Opens the call that the page's address names: `#/Rates/getRate`. */
function openNamedCall(): void {
  openCall(location.hash.split("/").at(-1) ?? "");
}

function openCall(operationId: string): void {
  const call = document.getElementById(idOf(operationId));
  if (!(call instanceof HTMLDetailsElement)) return;
  call.open = true;
  const summary = call.querySelector("summary");
  summary?.scrollIntoView();
  summary?.focus({ preventScroll: true });
}

/** What agents call: the OpenAPI description has no place for it. */
function Mcp() {
  return (
    <section class="group stack-close" aria-label="MCP" id="mcp">
      <h2>MCP</h2>
      <p class="aside">
        Agents send an API key to <code>{address}/v1/mcp</code>. A result says in <code>_meta</code>{" "}
        what it cost, as <code>kurs/units-charged</code>; an error has the same members as above.
        The resources <code>kurs://pairs</code> and <code>kurs://sources</code> cost nothing.
      </p>
      <McpTools />
    </section>
  );
}
