import type { ComponentChildren } from "preact";
import type { KeyWithUsage } from "../api/keys.ts";
import { formatAge, formatDay, formatLastDay, formatMinute, formatUnits } from "../format.ts";
import { labelsOf } from "../key-labels.ts";
import { Button } from "./button.tsx";

interface KeyListProps {
  readonly keys: readonly KeyWithUsage[];
  readonly onRevoke: (key: KeyWithUsage) => void;
}

/** The active keys, newest first, and below them the revoked ones. */
export function KeyList({ keys, onRevoke }: KeyListProps) {
  const newestFirst = [...keys].reverse();
  const active = newestFirst.filter(({ revoked_at }) => revoked_at === undefined);
  const revoked = newestFirst.filter(({ revoked_at }) => revoked_at !== undefined);
  return (
    <section class="card stack-close" aria-label="Your keys">
      {active.length === 0 ? <NoKeys /> : <ActiveKeys keys={active} onRevoke={onRevoke} />}
      {revoked.length === 0 ? null : (
        <details>
          <summary>Revoked keys ({formatUnits(revoked.length)})</summary>
          <RevokedKeys keys={revoked} />
        </details>
      )}
    </section>
  );
}

function NoKeys() {
  return (
    <div class="empty">
      <h2>No active key</h2>
      <p>Give a key a name above, and create it. Programs read rates with it.</p>
    </div>
  );
}

function ActiveKeys({ keys, onRevoke }: KeyListProps) {
  const labels = labelsOf(keys);
  return (
    <KeyTable
      keys={keys}
      state="Active"
      dated="Created"
      dateOf={({ created_at }) => (
        <time dateTime={created_at} title={formatMinute(created_at)}>
          {formatAge(created_at)}
        </time>
      )}
      actionOf={(key) => (
        <Button
          look="plain"
          isSmall
          label={`Revoke ${labels.get(key.id)}`}
          onClick={() => onRevoke(key)}
        >
          Revoke
        </Button>
      )}
    />
  );
}

function RevokedKeys({ keys }: { readonly keys: readonly KeyWithUsage[] }) {
  return (
    <KeyTable
      keys={keys}
      state="Revoked"
      dated="Revoked"
      dateOf={({ revoked_at = "" }) => (
        <time dateTime={revoked_at} title={formatMinute(revoked_at)}>
          {formatDay(revoked_at)}
        </time>
      )}
      actionOf={() => null}
    />
  );
}

interface KeyTableProps {
  readonly keys: readonly KeyWithUsage[];
  readonly state: "Active" | "Revoked";
  /** The heading of the column with a date. */
  readonly dated: string;
  readonly dateOf: (key: KeyWithUsage) => ComponentChildren;
  readonly actionOf: (key: KeyWithUsage) => ComponentChildren;
}

function KeyTable({ keys, state, dated, dateOf, actionOf }: KeyTableProps) {
  return (
    <table
      class={`table table-stacked keys keys-${state.toLowerCase()}`}
      aria-label={`${state} keys`}
    >
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Key</th>
          <th scope="col">{dated}</th>
          <th scope="col">Last used</th>
          <th scope="col" class="number">
            Units this month
          </th>
          <td />
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <th scope="row" class="key-name">
              {key.name}
            </th>
            <td>
              <code class="key-prefix">{key.key_prefix}…</code>
            </td>
            <td data-label={dated}>{dateOf(key)}</td>
            <UsageCells apiKey={key} />
            <td class="key-action">{actionOf(key)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function UsageCells({ apiKey: { last_used_on, units } }: { readonly apiKey: KeyWithUsage }) {
  return (
    <>
      <td data-label="Last used">
        <span title={last_used_on === null ? undefined : `${formatDay(last_used_on)} (UTC)`}>
          {formatLastDay(last_used_on)}
        </span>
      </td>
      <td data-label="Units this month" class="number">
        {formatUnits(units)}
      </td>
    </>
  );
}
