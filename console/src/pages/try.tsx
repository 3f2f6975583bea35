import { useEffect, useRef, useState } from "preact/hooks";
import { send } from "../api/request.ts";
import { readUsage } from "../api/usage.ts";
import { CodeTabs } from "../components/code-tabs.tsx";
import { Field } from "../components/field.tsx";
import { Form } from "../components/form.tsx";
import { Link } from "../components/link.tsx";
import { LoadingNotice, Notice } from "../components/notice.tsx";
import { OutcomeView } from "../components/outcome-view.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PairPicker } from "../components/pair-picker.tsx";
import { Segments } from "../components/segments.tsx";
import { type Coverage, loadCoverage } from "../coverage.ts";
import { doubtAbout, pairNameOf } from "../doubtful-pair.ts";
import { keepFigure } from "../figures.ts";
import { countUnits, formatUnits } from "../format.ts";
import { completeKey, forgetKey, keptKey, keyInHand } from "../key-in-hand.ts";
import { useAction, useLoading } from "../loading.ts";
import { type Outcome, outcomeOf } from "../outcome.ts";
import { type Request, requestFor, type Wish } from "../requests.ts";
import { parameter } from "../router.ts";
import { snippetsOf } from "../snippets.ts";

const kinds = { read: "Read a rate", convert: "Convert" } as const;

type Kind = keyof typeof kinds;

/** A request that was sent, and what came of it. */
interface Tried {
  readonly request: string;
  readonly wish: Wish;
  readonly outcome: Outcome;
}

export function TryPage() {
  const [kind, setKind] = useState<Kind>("read");
  const [apiKey, setApiKey] = useState((keyInHand.peek() ?? keptKey.peek())?.api_key ?? "");
  const [pair, setPair] = useState(() => ({
    base: parameter("base") ?? "EUR",
    quote: parameter("quote") ?? "USD",
  }));
  const [amount, setAmount] = useState("100");
  const [date, setDate] = useState("");
  const { data: usage, error: usageError, reload } = useLoading(readUsage, []);
  const { data: coverage } = useLoading(loadCoverage, []);

  const wished = { ...pair, date: date || undefined };
  const wish: Wish = kind === "read" ? { kind, ...wished } : { kind, ...wished, amount };
  const request = requestFor(wish);
  const { tried, doubt, action } = useTrial({ wish, request, apiKey, onSent: reload });
  const does = kind === "read" ? "Read the rate" : "Convert";

  return (
    <>
      <PageHead title="Try it">A real call with one of your keys, at the usual cost.</PageHead>
      <div class="columns">
        <div class="card">
          <Form action={action} does={doubt === undefined ? does : `${does} anyway`}>
            <Segments legend="Call" options={kinds} value={kind} onValue={setKind} />
            <KeyField value={apiKey} onValue={setApiKey} />
            <PairPicker {...pair} onPair={setPair} coverage={coverage} />
            {kind === "read" ? null : (
              <Field
                label="Amount"
                inputMode="decimal"
                value={amount}
                onValue={setAmount}
                autocomplete="off"
              />
            )}
            <DateField kind={kind} value={date} onValue={setDate} />
            {doubt === undefined ? null : <Notice kind="warn">{doubt}</Notice>}
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
          <ResponseCard tried={tried} isBusy={action.isBusy} coverage={coverage} />
        </div>
      </div>
    </>
  );
}

interface TrialProps {
  readonly wish: Wish;
  readonly request: Request;
  readonly apiKey: string;
  /** The next request does not wait for it. */
  readonly onSent: () => Promise<void>;
}

/** Sends the request; one that would cost a unit in vain, only when it is sent a second time. */
function useTrial({ wish, request, apiKey, onSent }: TrialProps) {
  const [tried, setTried] = useState<Tried | undefined>(undefined);
  const id = JSON.stringify(request);
  const [doubted, setDoubted] = useState<{ name: string; reason: string } | undefined>(undefined);
  const name = pairNameOf(wish.base, wish.quote);
  const doubt = doubted?.name === name ? doubted?.reason : undefined;
  const action = useAction(async () => {
    setTried(undefined);
    const key = completeKey(apiKey);
    const reason = name && doubt === undefined ? await doubtAbout(name) : undefined;
    setDoubted(name && reason ? { name, reason } : undefined);
    if (reason !== undefined) return;
    const headers = { ...request.headers, authorization: `ApiKey ${key}` };
    const outcome = outcomeOf(await send(request.path, { ...request, headers }));
    setTried({ request: id, wish, outcome });
    if (outcome.rate !== undefined && wish.date === undefined) keepFigure(outcome.rate);
    void onSent();
  });
  // The response to another request would be read as the one to this.
  return { tried: tried?.request === id ? tried : undefined, doubt, action };
}

interface ResponseCardProps {
  readonly tried: Tried | undefined;
  readonly isBusy: boolean;
  readonly coverage: Coverage | undefined;
}

function ResponseCard({ tried, isBusy, coverage }: ResponseCardProps) {
  const card = useRef<HTMLElement>(null);
  // On a phone it is below the form and the code.
  useEffect(() => {
    if (tried !== undefined) card.current?.scrollIntoView({ block: "nearest" });
  }, [tried]);
  return (
    <section class="card stack-close response" aria-label="Response" aria-busy={isBusy} ref={card}>
      <h2>Response</h2>
      <OutcomeView
        outcome={tried?.outcome}
        isConversion={tried?.wish.kind === "convert"}
        isPast={tried?.wish.date !== undefined}
        isBusy={isBusy}
        coverage={coverage}
      />
    </section>
  );
}

interface TextProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function DateField({ kind, ...props }: TextProps & { readonly kind: Kind }) {
  const isRead = kind === "read";
  const wanted = isRead ? "the last one up to its end" : "its own or the last one before it";
  return (
    <Field
      {...props}
      label={isRead ? "Date in UTC" : "Publisher's date"}
      hint={`Empty for the newest rate; a date asks for ${wanted}.`}
      type="date"
      max="9999-12-31"
      required={false}
      autocomplete="off"
    />
  );
}

function KeyField(props: TextProps) {
  return (
    <Field
      {...props}
      label="API key"
      hint={<KeyHint {...props} />}
      type="password"
      class="mono"
      placeholder="svc_live_…"
      autocomplete="off"
    />
  );
}

/** Where the key in the field comes from, or where to get one. */
function KeyHint({ value, onValue }: TextProps) {
  const created = keyInHand.value;
  const kept = keptKey.value;
  if (kept !== undefined && kept.api_key === value) {
    return (
      <>
        The key “{kept.name}”, kept in this tab.{" "}
        <button
          type="button"
          class="text-button"
          onClick={() => {
            forgetKey();
            onValue("");
          }}
        >
          Forget it
        </button>
      </>
    );
  }
  if (created !== undefined && created.api_key === value) {
    return <>The key “{created.name}” that you have just created.</>;
  }
  return (
    <>
      It stays on this page. <Link to="/keys">Create a key</Link>
    </>
  );
}
