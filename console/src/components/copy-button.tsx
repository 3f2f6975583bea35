import { useEffect, useState } from "preact/hooks";
import { copy } from "../copy.ts";
import { Button } from "./button.tsx";

const SHOWN_MS = 2000;

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for screen readers: "the key". */
  readonly what: string;
  readonly look?: "quiet";
}

/** Copies a text and reports the result. */
export function CopyButton({ text, what, look }: CopyButtonProps) {
  const [copied, setCopied] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (copied === undefined) return undefined;
    const timer = setTimeout(() => setCopied(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const run = async () => setCopied((await copy(text)) ? "Copied" : "Select it and copy");
  return (
    <>
      <Button isSmall {...(look && { look })} label={`Copy ${what}`} onClick={() => void run()}>
        <span class="copy-word">{copied ?? "Copy"}</span>
      </Button>
      <span class="visually-hidden" role="status">
        {copied}
      </span>
    </>
  );
}
