import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { EVENTS_PER_PAGE } from "../../../src/audit/rules.ts";
import { type AccountEvent, listEvents } from "../api/account.ts";
import { formatMinute } from "../format.ts";
import { useAction } from "../loading.ts";
import { Button } from "./button.tsx";
import { originOf, wordsOf } from "./event-words.tsx";
import { ErrorNotice } from "./notice.tsx";

const RECENT_EVENTS = 5;

/** An account's events, newest first, and a button that adds older ones below them. */
export function EventList({ newest }: { readonly newest: readonly AccountEvent[] }) {
  const [pages, setPages] = useState([newest]);
  const events = pages.flat();
  const last = pages.at(-1) ?? [];
  const older = useAction(async () => {
    const page = await listEvents(events.at(-1)?.id);
    setPages([...pages, page]);
  });

  // The button moves down or goes away: the reader continues from the first older event.
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    if (pages.length === 1) return;
    const index = Math.min(events.length - last.length, events.length - 1);
    const event = list.current?.children[index];
    if (event instanceof HTMLElement) event.focus();
  }, [pages]);

  if (events.length === 0) return <NoEvents />;
  return (
    <section class="card stack-close" aria-label="Your events">
      <ul ref={list}>
        {events.map((event) => (
          <EventRow key={event.id} event={event} />
        ))}
      </ul>
      <ErrorNotice error={older.error} />
      {last.length < EVENTS_PER_PAGE ? null : (
        <div class="row">
          <Button look="plain" isBusy={older.isBusy} onClick={older.run}>
            {older.error === undefined ? "Show older" : "Try again"}
          </Button>
        </div>
      )}
    </section>
  );
}

/** The newest of an account's events. */
export function RecentEvents({ events }: { readonly events: readonly AccountEvent[] }) {
  return (
    <ul>
      {events.slice(0, RECENT_EVENTS).map((event) => (
        <EventRow key={event.id} event={event} />
      ))}
    </ul>
  );
}

function EventRow({ event }: { readonly event: AccountEvent }) {
  return (
    <li class="event" tabIndex={-1}>
      <span class="event-action">{wordsOf(event)}</span>
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
      <p>Log-ins and changes to keys appear here. The service removes them after a time.</p>
    </div>
  );
}
