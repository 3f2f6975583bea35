import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { KEY_LIMITS } from "../../../src/customers/api-keys/rules.ts";
import type { KeyWithUsage } from "../api/keys.ts";
import {
  counted,
  formatAge,
  formatDay,
  formatLastDay,
  formatMinute,
  formatUnits,
} from "../format.ts";
import { labelsOf } from "../key-labels.ts";
import { linesOf } from "../key-limits.ts";
import { isFoundIn } from "../search.ts";
import { Button } from "./button.tsx";
import { LimitLines } from "./limit-lines.tsx";
import { Pager } from "./pager.tsx";
import { SearchField } from "./search-field.tsx";

/** What an owner may change of a key. */
export type KeyQuestion = "limits" | "rotate" | "revoke";

const questions: readonly (readonly [KeyQuestion, label: string])[] = [
  ["limits", "Limits"],
  ["rotate", "Rotate"],
  ["revoke", "Revoke"],
];

interface KeyListProps {
  readonly keys: readonly KeyWithUsage[];
  readonly onAsk: (what: KeyQuestion, key: KeyWithUsage) => void;
}

const KEYS_PER_PAGE = 25;

/** The active keys, newest first, and below them the revoked ones. */
export function KeyList({ keys, onAsk }: KeyListProps) {
  const [search, setSearch] = useState("");
  const newestFirst = [...keys].reverse();
  const active = newestFirst.filter(({ revoked_at }) => revoked_at === undefined);
  const revoked = newestFirst.filter(({ revoked_at }) => revoked_at !== undefined);
  const isFound = ({ name, key_prefix }: KeyWithUsage) =>
    isFoundIn(name, search) || key_prefix.startsWith(search.trim());
  const [foundActive, foundRevoked] = [active.filter(isFound), revoked.filter(isFound)];
  return (
    <section class="card stack-close" aria-label="Your keys">
      {keys.length <= KEYS_PER_PAGE ? null : (
        <SearchField
          label="Search"
          placeholder="billing or svc_live_1a2b"
          value={search}
          onValue={setSearch}
        />
      )}
      {active.length === 0 ? (
        <NoKeys />
      ) : (
        <p class="aside">
          {formatUnits(active.length)} of {counted(KEY_LIMITS.active, "active key")}
        </p>
      )}
      {foundActive.length === 0 ? null : (
        <Paged key={`active ${search}`} keys={foundActive}>
          {(shown) => <ActiveKeys keys={shown} onAsk={onAsk} />}
        </Paged>
      )}
      {foundRevoked.length === 0 ? null : (
        <details>
          <summary>Revoked keys ({formatUnits(foundRevoked.length)})</summary>
          <Paged key={`revoked ${search}`} keys={foundRevoked}>
            {(shown) => <RevokedKeys keys={shown} />}
          </Paged>
        </details>
      )}
      {foundActive.length + foundRevoked.length === 0 && keys.length > 0 ? (
        <p role="status">No key has such a name or prefix.</p>
      ) : null}
    </section>
  );
}

interface PagedProps {
  readonly keys: readonly KeyWithUsage[];
  readonly children: (shown: readonly KeyWithUsage[]) => ComponentChildren;
}

/** Keys, a page at a time. */
function Paged({ keys, children }: PagedProps) {
  const [wanted, setStart] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  // A revocation may have emptied the last page.
  const start = wanted < keys.length ? wanted : Math.max(0, wanted - KEYS_PER_PAGE);
  const turnTo = (next: number) => {
    setStart(next);
    place.current?.focus();
  };
  return (
    <div ref={place} tabIndex={-1} class="paged">
      {children(keys.slice(start, start + KEYS_PER_PAGE))}
      <Pager start={start} perPage={KEYS_PER_PAGE} total={keys.length} onStart={turnTo} />
    </div>
  );
}

function NoKeys() {
  return (
    <div class="empty">
      <h2>No active key</h2>
      <p>Name a key above and create it. Programs use it to read rates.</p>
    </div>
  );
}

function ActiveKeys({ keys, onAsk }: KeyListProps) {
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
      actionOf={(key) =>
        questions.map(([what, label]) => (
          <Button
            key={what}
            look="quiet"
            isSmall
            label={`${label}${what === "limits" ? " of" : ""} ${labels.get(key.id)}`}
            onClick={() => onAsk(what, key)}
          >
            {label}
          </Button>
        ))
      }
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
          {state === "Active" ? (
            <th scope="col" class="limits">
              Limits
            </th>
          ) : null}
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
            {state === "Active" ? <LimitsCell limits={key.limits} /> : null}
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

function LimitsCell({ limits }: Pick<KeyWithUsage, "limits">) {
  const lines = linesOf(limits);
  return (
    <td data-label="Limits" class="limits">
      {lines.length === 0 ? "none" : null}
      <LimitLines lines={lines} />
    </td>
  );
}
