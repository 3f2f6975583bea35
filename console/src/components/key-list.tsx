import type { ApiKey } from "../api.ts";
import { formatAge, formatMinute } from "../format.ts";
import { Button } from "./button.tsx";

interface KeyListProps {
  readonly keys: readonly ApiKey[];
  readonly onRevoke: (key: ApiKey) => void;
}

/** The active keys, newest first, and below them the revoked ones. */
export function KeyList({ keys, onRevoke }: KeyListProps) {
  const newestFirst = [...keys].reverse();
  const active = newestFirst.filter(({ revoked_at }) => revoked_at === undefined);
  const revoked = newestFirst.filter(({ revoked_at }) => revoked_at !== undefined);
  return (
    <section class="card stack-close" aria-label="Your keys">
      {active.length === 0 ? (
        <div class="empty">
          <h2>No active key</h2>
          <p>Give a key a name above, and create it. Programs read rates with it.</p>
        </div>
      ) : (
        <ul class="key-list">
          {active.map((key) => (
            <li class="key" key={key.id}>
              <KeyFields apiKey={key} />
              <span class="key-action">
                <Button
                  look="plain"
                  isSmall
                  label={`Revoke ${key.name}`}
                  onClick={() => onRevoke(key)}
                >
                  Revoke
                </Button>
              </span>
            </li>
          ))}
        </ul>
      )}
      {revoked.length === 0 ? null : (
        <details>
          <summary>Revoked keys ({revoked.length})</summary>
          <ul class="key-list">
            {revoked.map((key) => (
              <li class="key key-revoked" key={key.id}>
                <KeyFields apiKey={key} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function KeyFields({ apiKey }: { readonly apiKey: ApiKey }) {
  const { name, key_prefix, created_at, revoked_at } = apiKey;
  const [word, time] = revoked_at === undefined ? ["Created", created_at] : ["Revoked", revoked_at];
  return (
    <>
      <span class="key-name">{name}</span>
      <code class="key-prefix">{key_prefix}…</code>
      <time class="key-age" dateTime={time} title={formatMinute(time)}>
        {word} {formatAge(time)}
      </time>
    </>
  );
}
