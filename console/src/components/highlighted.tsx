import { useMemo } from "preact/hooks";
import { type Language, tokensOf } from "../highlight.ts";

interface HighlightedProps {
  readonly code: string;
  readonly language: Language;
}

/** Code in colours. */
export function Highlighted({ code, language }: HighlightedProps) {
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
