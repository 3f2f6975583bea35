import { Scroll } from "./scroll.tsx";

const tools = [
  ["get_rate", "base, quote; date", "the stored rate", "1 unit"],
  ["convert_currency", "base, quote, amount; date", "the rate and the exact product", "1 unit"],
  ["get_usage", "no arguments", "the period's units", "nothing"],
] as const;

/** What agents can call. */
export function McpTools() {
  return (
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
  );
}
