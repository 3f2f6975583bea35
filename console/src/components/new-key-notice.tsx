import { useLayoutEffect, useRef } from "preact/hooks";
import type { CreatedApiKey } from "../api/keys.ts";
import { forgetKey, keepKey, keptKey, keyInHand } from "../key-in-hand.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Link } from "./link.tsx";

/** Shows a new key, once. */
export function NewKeyNotice({ created }: { readonly created: CreatedApiKey }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), [created.id]);
  return (
    <section class="card new-key" aria-labelledby="new-key">
      <h2 id="new-key" tabIndex={-1} ref={heading}>
        Copy the key “{created.name}” now
      </h2>
      <p>You won't see this key again. Store it in your password manager.</p>
      <div class="secret">
        <code>{created.api_key}</code>
        <CopyButton text={created.api_key} what="the key" />
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={keptKey.value?.id === created.id}
          onChange={({ currentTarget }) => {
            if (currentTarget.checked) keepKey(created);
            else forgetKey();
          }}
        />
        Keep it in this tab for “Try it”, until I log out
      </label>
      <div class="row">
        <Link class="button button-plain button-small" to="/try">
          Try it
        </Link>
        <Button
          look="plain"
          isSmall
          onClick={() => {
            keyInHand.value = undefined;
          }}
        >
          I have stored it
        </Button>
      </div>
    </section>
  );
}
