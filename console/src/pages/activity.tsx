import { listEvents } from "../api.ts";
import { Button } from "../components/button.tsx";
import { EventList } from "../components/event-list.tsx";
import { LoadingNotice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { useAction, useLoading } from "../loading.ts";

export function ActivityPage() {
  const { data: events, error, reload } = useLoading(listEvents, []);
  const again = useAction(reload);
  const isOver = error !== undefined && !error.isPassing;
  return (
    <>
      <PageHead title="Activity">
        What happened to your account: log-ins, keys, resets and changes by an operator.
      </PageHead>
      <div class="stack">
        <LoadingNotice error={error} />
        {events === undefined ? null : <EventList newest={events} />}
        {events === undefined && !isOver ? <Skeleton what="the events" heightRem={20} /> : null}
        {events === undefined && isOver ? (
          <div class="row">
            <Button look="plain" isBusy={again.isBusy} onClick={again.run}>
              Try again
            </Button>
          </div>
        ) : null}
      </div>
    </>
  );
}
