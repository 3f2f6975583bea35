import { CodeTabs } from "../components/code-tabs.tsx";
import { Link } from "../components/link.tsx";
import { McpTools } from "../components/mcp-tools.tsx";
import { PageHead } from "../components/page-head.tsx";
import { address, clientSnippets } from "../snippets.ts";

export function AgentsPage() {
  return (
    <>
      <PageHead title="Agents">
        Agents read rates over the Model Context Protocol, with the same keys and the same quota.
      </PageHead>
      <div class="stack">
        <section class="card stack-close" aria-label="Connect a client">
          <h2>Connect a client</h2>
          <p class="aside">
            Streamable HTTP at <code>{address}/v1/mcp</code>, with the header{" "}
            <code>Authorization: ApiKey …</code> and <Link to="/keys">one of your keys</Link>.
          </p>
          <CodeTabs label="Clients" snippets={clientSnippets()} />
        </section>
        <section class="card stack-close" aria-label="Tools">
          <h2>Tools</h2>
          <McpTools />
        </section>
        <section class="card stack-close" aria-label="If a client does not connect">
          <h2>If a client does not connect</h2>
          <ul class="bullets">
            <li>
              The scheme is <code>ApiKey</code>, not <code>Bearer</code>.
            </li>
            <li>The variable that holds the key must be set where the client is started.</li>
            <li>
              A client that offers an OAuth log-in received a 401: the key is mistyped or revoked.
              Try the key with curl, correct it, and restart the client.
            </li>
          </ul>
        </section>
      </div>
    </>
  );
}
