import { Scroll } from "../components/scroll.tsx";
import { address } from "../snippets.ts";

const tools = [
  ["get_rate", "base, quote", "1 unit, as the call for a rate"],
  ["convert_currency", "base, quote, amount", "1 unit"],
  ["get_usage", "none", "nothing"],
] as const;

/** What agents call: the OpenAPI description has no place for it. */
export function McpTools() {
  return (
    <section class="group stack-close" aria-label="MCP" id="mcp">
      <h2>MCP</h2>
      <p class="aside">
        Agents send an API key to <code>{address}/v1/mcp</code>. Results have what they cost in{" "}
        <code>_meta</code>, as <code>kurs/units-charged</code>; an error is the same envelope. The
        resources <code>kurs://pairs</code> and <code>kurs://sources</code> cost nothing.
      </p>
      <Scroll name="The tools of MCP">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col">Arguments</th>
              <th scope="col">Costs</th>
            </tr>
          </thead>
          <tbody>
            {tools.map(([name, takes, costs]) => (
              <tr key={name}>
                <td>
                  <code>{name}</code>
                </td>
                <td>{takes}</td>
                <td>{costs}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
