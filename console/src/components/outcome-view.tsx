import type { Coverage } from "../coverage.ts";
import type { Outcome } from "../outcome.ts";
import { Code } from "./code-tabs.tsx";
import { ErrorNotice } from "./notice.tsx";
import { RateView } from "./rate-view.tsx";

interface OutcomeViewProps {
  readonly outcome: Outcome | undefined;
  /** A conversion's response is JSON-RPC, which only a reader of the protocol wants to see. */
  readonly isConversion: boolean;
  /** Whether it is of a past date. */
  readonly isPast: boolean;
  readonly isBusy: boolean;
  readonly coverage: Coverage | undefined;
}

/** The response to a tried request, and its cost. */
export function OutcomeView(props: OutcomeViewProps) {
  const { outcome, isConversion, isPast, isBusy, coverage } = props;
  if (outcome === undefined) {
    return (
      <p class="aside">{isBusy ? "Waiting for the response …" : "Send the request to see it."}</p>
    );
  }
  const { status, rate, error, cost, body, source, missed, help, headers } = outcome;
  const gap = isPast ? missed : undefined;
  const code = <Code name="Body of the response" code={body} language="json" />;
  return (
    <div class="stack-close">
      <p class="row" role="status">
        <span class={`badge ${error === undefined ? "badge-good" : "badge-bad"}`}>{status}</span>
        <span class="aside">
          {cost === undefined ? (
            "It is not known whether this cost a unit: see Usage."
          ) : (
            <>
              It cost <strong>{cost}</strong>.
            </>
          )}
        </span>
      </p>
      {rate === undefined ? null : (
        <RateView rate={rate} source={source} gap={gap} coverage={coverage} />
      )}
      <ErrorNotice error={error} />
      {help === undefined ? null : <a href={help.url}>{help.text}</a>}
      {isConversion ? (
        <details>
          <summary>JSON-RPC</summary>
          {code}
        </details>
      ) : (
        code
      )}
      <details>
        <summary>Headers ({headers.length})</summary>
        <dl class="response-headers">
          {headers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  );
}
