import { useId, useMemo, useState } from "preact/hooks";
import { tokensOf } from "../highlight.ts";
import type { Snippet } from "../languages.ts";
import { CopyButton } from "./copy-button.tsx";
import { Scroll } from "./scroll.tsx";

interface CodeTabsProps {
  readonly label: string;
  readonly snippets: readonly Snippet[];
}

/** The same code in several languages, to copy (WAI-ARIA Authoring Practices, Tabs). */
export function CodeTabs({ label, snippets }: CodeTabsProps) {
  const id = useId();
  const [chosen, setChosen] = useState(0);
  const snippet = snippets[chosen];
  if (snippet === undefined) return null;

  const moveTab = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (chosen + step + snippets.length) % snippets.length;
    setChosen(next);
    document.getElementById(`${id}-tab-${next}`)?.focus();
  };

  return (
    <div class="stack-close">
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={moveTab}>
        {snippets.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => setChosen(index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        class="stack-close"
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-tab-${chosen}`}
      >
        <Code {...snippet} />
      </div>
    </div>
  );
}

/** Code to read and copy; `copied` is the part that is copied, if that is not all. */
export function Code(props: Snippet & { readonly copied?: string }) {
  const { name, language, note = name, code, copied = code } = props;
  return (
    <div class="code">
      <div class="code-head">
        <span>{note}</span>
        <CopyButton key={code} text={copied} what={name} look="quiet" />
      </div>
      <Scroll name={name}>
        <pre>
          <code>
            <Highlighted code={code} language={language} />
          </code>
        </pre>
      </Scroll>
    </div>
  );
}

/** Code in colours. */
function Highlighted({ code, language }: Pick<Snippet, "code" | "language">) {
  const tokens = useMemo(() => tokensOf(code, language), [code, language]);
  return (
    <>
      {tokens.map(({ kind, text }, index) =>
        kind === undefined ? (
          text
        ) : (
          <span key={index} class={`token-${kind}`}>
            {text}
          </span>
        ),
      )}
    </>
  );
}
