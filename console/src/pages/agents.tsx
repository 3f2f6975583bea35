import { CodeTabs } from "../components/code-tabs.tsx";
import { Link } from "../components/link.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Scroll } from "../components/scroll.tsx";
import { address, clientSnippets } from "../snippets.ts";

const tools = [
  ["get_rate", "base, quote", "the stored rate", "1 unit"],
  ["convert_currency", "base, quote, amount", "the rate and the exact product", "1 unit"],
  ["get_usage", "no arguments", "the period's units", "nothing"],
] as const;

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
            Streamable HTTP at <code>{address}/v1/mcp</code>, with{" "}
            <code>Authorization: ApiKey …</code>. No key yet? <Link to="/keys">Create one</Link>
          </p>
          <CodeTabs label="Clients" snippets={clientSnippets()} />
        </section>
        <section class="card stack-close" aria-label="Tools">
          <h2>Tools</h2>
          <Scroll name="The tools and their costs">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">Tool</th>
                  <th scope="col">Returns</th>
                  <th scope="col">Costs</th>
                </tr>
              </thead>
              <tbody>
                {tools.map(([name, takes, returns, costs]) => (
                  <tr key={name}>
                    <td>
                      <code>{name}</code>
                      <br />
                      <span class="aside">{takes}</span>
                    </td>
                    <td>{returns}</td>
                    <td class="no-break">{costs}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </section>
        <section class="card stack-close" aria-label="When a client does not connect">
          <h2>When a client does not connect</h2>
          <ul class="bullets">
            <li>
              The scheme is <code>ApiKey</code>, not <code>Bearer</code>.
            </li>
            <li>The variable with the key is set where the client was started.</li>
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
