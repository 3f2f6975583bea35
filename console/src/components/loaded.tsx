import type { ComponentChildren } from "preact";
import { useAction, useLoading } from "../loading.ts";
import { Button } from "./button.tsx";
import { LoadingNotice } from "./notice.tsx";
import { Skeleton } from "./skeleton.tsx";

/** The content of a page that one request loads: it, its outline until then, or another try. */
export function Loaded<Data>({
  load,
  what,
  children,
}: {
  readonly load: Parameters<typeof useLoading<Data>>[0];
  /** Names the content to a screen reader: "the events". */
  readonly what: string;
  readonly children: (data: Data, reload: () => Promise<void>) => ComponentChildren;
}) {
  const { data, error, reload } = useLoading(load, []);
  const again = useAction(reload);
  const isOver = error !== undefined && !error.isPassing;
  return (
    <div class="stack">
      <LoadingNotice error={error} />
      {data === undefined ? null : children(data, reload)}
      {data === undefined && !isOver ? <Skeleton what={what} heightRem={20} /> : null}
      {data === undefined && isOver ? (
        <div class="row">
          <Button look="plain" isBusy={again.isBusy} onClick={again.run}>
            Try again
          </Button>
        </div>
      ) : null}
    </div>
  );
}
