import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { EVENTS_PER_PAGE } from "../../../src/platform/audit/rules.ts";
import { type AccountEvent, listEvents } from "../api/account.ts";
import type { ApiKey } from "../api/keys.ts";
import { type KeyNames, originOf, wordsOf } from "../event-words.ts";
import { counted, formatMinute } from "../format.ts";
import { labelsOf, namesOf } from "../key-labels.ts";
import { useAction } from "../loading.ts";
import { parameter, setParameters } from "../router.ts";
import { Button } from "./button.tsx";
import { Filter } from "./filter.tsx";
import { ErrorNotice } from "./notice.tsx";

const RECENT_EVENTS = 5;

/** What an action begins with, by the kind that a reader chooses. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  "API keys": ["api_key."],
  "Log-ins and sessions": ["session.", "sessions."],
  "Account, email and password": ["account.", "email.", "password."],
  Quota: ["quota."],
};

interface EventListProps {
  readonly newest: readonly AccountEvent[];
  readonly keys: readonly ApiKey[];
}

/**
 * An account's events, newest first, and a button that adds older ones below them. The address
 * keeps what they are narrowed down to: `?kind=Quota`, `?key=ID`.
 */
export function EventList({ newest, keys }: EventListProps) {
  const keyNames = useMemo(() => namesOf(keys), [keys]);
  const [pages, setPages] = useState([newest]);
  const events = pages.flat();
  const last = pages.at(-1) ?? [];
  const older = useAction(async () => {
    const page = await listEvents(events.at(-1)?.id);
    setPages([...pages, page]);
  });
  const isChosen = ({ action, details }: AccountEvent) =>
    (kinds[parameter("kind") ?? ""]?.some((start) => action.startsWith(start)) ?? true) &&
    (parameter("key") ?? details.api_key_id) === details.api_key_id;
  const chosen = events.filter(isChosen);

  // The button moves down or goes away: the reader continues from the first older event.
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    if (pages.length === 1) return;
    const index = Math.min(chosen.length - last.filter(isChosen).length, chosen.length - 1);
    const event = list.current?.children[index];
    if (event instanceof HTMLElement) event.focus();
  }, [pages]);

  if (events.length === 0) return <NoEvents />;
  return (
    <>
      <EventFilters events={events} keys={keys} />
      <section class="card stack-close" aria-label="Your events">
        <ul ref={list}>
          {chosen.map((event) => (
            <EventRow key={event.id} event={event} keyNames={keyNames} />
          ))}
        </ul>
        {chosen.length > 0 ? null : (
          <p class="aside">None of the newest {counted(events.length, "event")} is of this kind.</p>
        )}
        <ErrorNotice error={older.error} />
        {last.length < EVENTS_PER_PAGE ? null : (
          <div class="row">
            <Button look="plain" isBusy={older.isBusy} onClick={older.run}>
              {older.error === undefined ? "Show older" : "Try again"}
            </Button>
          </div>
        )}
      </section>
    </>
  );
}

interface EventFiltersProps {
  readonly events: readonly AccountEvent[];
  readonly keys: readonly ApiKey[];
}

function EventFilters({ events, keys }: EventFiltersProps) {
  const ids = new Set(events.map(({ details }) => details.api_key_id));
  const labels = [...labelsOf(keys)].filter(([id]) => ids.has(id));
  return (
    <div class="filters filters-even">
      <Filter
        label="Kind"
        all="All events"
        options={Object.keys(kinds).map((name) => ({ value: name, name }))}
        value={parameter("kind")}
        onValue={(kind) => setParameters({ kind })}
      />
      <Filter
        label="API key"
        all="All keys"
        options={labels.map(([value, name]) => ({ value, name }))}
        value={parameter("key")}
        onValue={(key) => setParameters({ key })}
      />
    </div>
  );
}

interface RecentEventsProps {
  readonly events: readonly AccountEvent[];
  readonly keyNames: KeyNames;
}

/** The newest of an account's events. */
export function RecentEvents({ events, keyNames }: RecentEventsProps) {
  return (
    <ul>
      {events.slice(0, RECENT_EVENTS).map((event) => (
        <EventRow key={event.id} event={event} keyNames={keyNames} />
      ))}
    </ul>
  );
}

interface EventRowProps {
  readonly event: AccountEvent;
  readonly keyNames: KeyNames;
}

function EventRow({ event, keyNames }: EventRowProps) {
  return (
    <li class="event" tabIndex={-1}>
      <span class="event-action">{wordsOf(event, keyNames)}</span>
      <span class="event-origin">{originOf(event)}</span>
      <time class="event-time" dateTime={event.at} title={event.at}>
        {formatMinute(event.at)}
      </time>
    </li>
  );
}

function NoEvents() {
  return (
    <div class="card empty">
      <h2>No events</h2>
      <p>Log-ins and changes to keys appear here. The service removes them after some time.</p>
    </div>
  );
}
