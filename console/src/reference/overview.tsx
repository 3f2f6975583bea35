import { useState } from "preact/hooks";
import { SearchField } from "../components/search-field.tsx";
import { isFoundIn } from "../search.ts";
import type { CallOfGroup } from "./groups.ts";

interface OverviewProps {
  /** By the names of the groups. */
  readonly groups: ReadonlyMap<string, readonly CallOfGroup[]>;
  readonly onOpen: (call: CallOfGroup) => void;
}

/** The calls by group, to go to one of them. */
export function Overview({ groups, onOpen }: OverviewProps) {
  const [search, setSearch] = useState("");
  const found = [...groups]
    .map(([name, calls]) => ({ name, calls: calls.filter((call) => isFound(call, search)) }))
    .filter(({ calls }) => calls.length > 0);
  return (
    <nav class={search === "" ? "overview" : "overview overview-searched"} aria-label="Calls">
      <SearchField
        label="Find a call"
        placeholder="rates, key, password"
        value={search}
        onValue={setSearch}
      />
      {found.map(({ name, calls }) => (
        <div key={name} class="overview-group">
          <p>{name}</p>
          <ul>
            {calls.map((call) => (
              <li key={call.fragment}>
                <a href={call.fragment} onClick={() => onOpen(call)}>
                  {call.summary}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {found.length === 0 ? <p role="status">No call is about this.</p> : null}
    </nav>
  );
}

function isFound({ group, method, path, summary }: CallOfGroup, search: string): boolean {
  return isFoundIn(`${group} ${method} ${path} ${summary}`, search);
}
