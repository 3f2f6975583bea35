import { readAbout } from "../api/rates.ts";
import { Code } from "../components/code-tabs.tsx";
import { DeletedNotice } from "../components/deleted-notice.tsx";
import { Footer } from "../components/footer.tsx";
import { Link } from "../components/link.tsx";
import { ServiceFigures } from "../components/service-figures.tsx";
import { useLoading } from "../loading.ts";
import { howToJoin, isOpen } from "../registration.ts";
import { curlOfRead } from "../snippets.ts";

const command = curlOfRead("EUR", "USD");

const example = `${command}

{
  "base": "EUR",
  "quote": "USD",
  "rate": "1.1476",
  "as_of": "2026-03-13T15:00:00.000000000Z",
  "type": "direct"
}`;

/** Introduces Kurs to visitors without an account. */
export function WelcomePage() {
  const { data: about } = useLoading(readAbout, []);
  return (
    <>
      <DeletedNotice />
      <div class="welcome">
        <div>
          <h1 tabIndex={-1}>Exact rates, exactly metered.</h1>
          <p class="lead">
            Exchange rates as their publishers wrote them, over REST and MCP.{" "}
            {isOpen ? "An account and a key take a minute." : howToJoin}
          </p>
          <div class="row">
            {isOpen ? (
              <Link class="button" to="/signup">
                Create an account
              </Link>
            ) : null}
            <Link class={isOpen ? "button button-plain" : "button"} to="/login">
              Log in
            </Link>
          </div>
        </div>
        <Code name="Example" language="shell" code={example} copied={command} />
      </div>
      <ServiceFigures about={about} />
      <section class="facts" aria-label="What to know">
        <div>
          <h2>Every digit</h2>
          <p>From publisher to client a rate stays text: never rounded, inverted or crossed.</p>
        </div>
        <div>
          <h2>Every unit</h2>
          <p>Each read costs one unit, stored before the response is sent. Usage is exact.</p>
        </div>
        <div>
          <h2>Every agent</h2>
          <p>With the same key, agents read rates, convert amounts and see their usage over MCP.</p>
        </div>
      </section>
      <Footer version={about?.version} />
    </>
  );
}
