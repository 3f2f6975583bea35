import { listEvents } from "../api/account.ts";
import { listApiKeys } from "../api/keys.ts";
import { EventList } from "../components/event-list.tsx";
import { Loaded } from "../components/loaded.tsx";
import { PageHead } from "../components/page-head.tsx";

async function load() {
  const [events, keys] = await Promise.all([listEvents(), listApiKeys()]);
  return { events, keys };
}

export function ActivityPage() {
  return (
    <>
      <PageHead title="Activity">
        What happened to your account: log-ins, keys, resets and changes by an operator.
      </PageHead>
      <Loaded load={load} what="the events">
        {({ events, keys }) => <EventList newest={events} keys={keys} />}
      </Loaded>
    </>
  );
}
