import { listEvents } from "../api/account.ts";
import { EventList } from "../components/event-list.tsx";
import { Loaded } from "../components/loaded.tsx";
import { PageHead } from "../components/page-head.tsx";

export function ActivityPage() {
  return (
    <>
      <PageHead title="Activity">
        What happened to your account: log-ins, keys, resets and changes by an operator.
      </PageHead>
      <Loaded load={listEvents} what="the events">
        {(events) => <EventList newest={events} />}
      </Loaded>
    </>
  );
}
