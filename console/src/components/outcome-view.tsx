import { formatMinute } from "../format.ts";
import type { Outcome } from "../outcome.ts";
import { Code } from "./code-tabs.tsx";
import { ErrorNotice } from "./notice.tsx";

interface OutcomeViewProps {
  readonly outcome: Outcome | undefined;
  readonly isBusy: boolean;
}

/** The response to a tried request, and its cost. */
export function OutcomeView({ outcome, isBusy }: OutcomeViewProps) {
  if (outcome === undefined) {
    return (
      <p class="aside">{isBusy ? "Waiting for the response …" : "Send the request to see it."}</p>
    );
  }
  const { status, rate, error, cost, body } = outcome;
  return (
    <div class="stack-close">
      <p class="row" role="status">
        <span class={`badge ${error === undefined ? "badge-good" : "badge-bad"}`}>{status}</span>
        <span class="aside">
          It cost <strong>{cost}</strong>.
        </span>
      </p>
      {rate === undefined ? null : <RateView rate={rate} />}
      <ErrorNotice error={error} />
      <Code name="Body of the response" code={body} />
    </div>
  );
}

function RateView({ rate }: { readonly rate: NonNullable<Outcome["rate"]> }) {
  const { base, quote, amount = "1", result = rate.rate } = rate;
  return (
    <div>
      <p class="rate">
        {amount} <span class="rate-unit">{base} =</span> {result}{" "}
        <span class="rate-unit">{quote}</span>
      </p>
      <p class="aside">As of {formatMinute(rate.as_of)}, as its publisher wrote it.</p>
    </div>
  );
}
