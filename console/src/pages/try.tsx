import { useState } from "preact/hooks";
import { readUsage, send } from "../api.ts";
import { CodeTabs } from "../components/code-tabs.tsx";
import { Field } from "../components/field.tsx";
import { Form } from "../components/form.tsx";
import { LoadingNotice } from "../components/notice.tsx";
import { OutcomeView } from "../components/outcome-view.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Segments } from "../components/segments.tsx";
import { countUnits, formatUnits } from "../format.ts";
import { keyInHand } from "../key-in-hand.ts";
import { useAction, useLoading } from "../loading.ts";
import { type Outcome, outcomeOf } from "../outcome.ts";
import { requestFor, type Wish } from "../requests.ts";
import { snippetsOf } from "../snippets.ts";

const kinds = { read: "Read a rate", convert: "Convert" } as const;

export function TryPage() {
  const [kind, setKind] = useState<keyof typeof kinds>("read");
  const [apiKey, setApiKey] = useState(keyInHand.peek()?.api_key ?? "");
  const [base, setBase] = useState("EUR");
  const [quote, setQuote] = useState("USD");
  const [amount, setAmount] = useState("100");
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined);
  const { data: usage, error: usageError, reload } = useLoading(readUsage, []);

  const wish: Wish = kind === "read" ? { kind, base, quote } : { kind, base, quote, amount };
  const request = requestFor(wish);
  const action = useAction(async () => {
    setOutcome(undefined);
    const headers = { ...request.headers, authorization: `ApiKey ${apiKey.trim()}` };
    setOutcome(outcomeOf(await send(request.path, { ...request, headers })));
    // The next request does not wait for the usage.
    void reload();
  });

  return (
    <>
      <PageHead title="Try it">A real call with one of your keys, at the usual cost.</PageHead>
      <div class="columns">
        <div class="card">
          <Form action={action} does={kind === "read" ? "Read the rate" : "Convert"}>
            <Segments
              hasHiddenLegend
              legend="Call"
              options={kinds}
              value={kind}
              onValue={setKind}
            />
            <KeyField value={apiKey} onValue={setApiKey} />
            <div class="pair">
              <SymbolField label="Base" value={base} onValue={setBase} />
              <SymbolField label="Quote" value={quote} onValue={setQuote} />
            </div>
            {kind === "read" ? null : (
              <Field
                label="Amount"
                inputMode="decimal"
                value={amount}
                onValue={setAmount}
                autocomplete="off"
              />
            )}
          </Form>
          <p class="aside used">
            {usage === undefined
              ? "…"
              : `${formatUnits(usage.usage.used_units)} of ${countUnits(usage.usage.quota_units)} used this period`}
          </p>
        </div>
        <div class="stack">
          <LoadingNotice error={usageError} />
          <section class="card stack-close" aria-label="Request">
            <h2>Request</h2>
            <CodeTabs label="Languages" snippets={snippetsOf(request)} />
          </section>
          <section class="card stack-close answer" aria-label="Response" aria-busy={action.isBusy}>
            <h2>Response</h2>
            <OutcomeView outcome={outcome} isBusy={action.isBusy} />
          </section>
        </div>
      </div>
    </>
  );
}

interface ValueProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function KeyField(props: ValueProps) {
  const created = keyInHand.value;
  const isInHand = created !== undefined && created.api_key === props.value;
  return (
    <Field
      {...props}
      label="API key"
      hint={
        isInHand
          ? `The key “${created.name}” that you have just created.`
          : "Paste one. It stays in this page."
      }
      type="password"
      class="mono"
      placeholder="svc_live_…"
      autocomplete="off"
    />
  );
}

function SymbolField({ label, ...props }: ValueProps & { readonly label: string }) {
  return (
    <Field
      {...props}
      label={label}
      class="input-symbol"
      autocomplete="off"
      autocapitalize="characters"
    />
  );
}
