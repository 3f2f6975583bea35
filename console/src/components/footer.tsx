import { root } from "../router.ts";
import { Link } from "./link.tsx";

/** What a visitor may want to know of the program: its documents, version and licence. */
export function Footer({ version }: { readonly version: string | undefined }) {
  return (
    <footer class="footer">
      <p>
        Kurs {version ?? "…"}, free software under the{" "}
        <a href="https://spdx.org/licenses/MIT.html" rel="noreferrer">
          MIT licence
        </a>
      </p>
      <ul>
        <li>
          <Link to="/docs">API reference</Link>
        </li>
        <li>
          <a href={`${root}openapi.json`}>OpenAPI document</a>
        </li>
        <li>
          <a href={`${root}about.json`}>These figures as JSON</a>
        </li>
      </ul>
    </footer>
  );
}
