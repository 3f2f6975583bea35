import { useRef, useState } from "preact/hooks";
import { endListedSession, endOtherSessions, type ListedSession } from "../api/access.ts";
import { formatMinute, formatUnits } from "../format.ts";
import { useAction } from "../loading.ts";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./notice.tsx";

/** The sessions beyond these are folded. */
const OPEN_SESSIONS = 6;

interface SessionListProps {
  readonly sessions: readonly ListedSession[];
  readonly reload: () => Promise<void>;
}

/** The account's sessions, the reader's first; each other one can be ended. */
export function SessionList({ sessions, reload }: SessionListProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [report, setReport] = useState("");
  const sorted = [...sessions].sort((one, other) => +other.current - +one.current);
  const folded = sorted.slice(OPEN_SESSIONS);
  const finish = async (text: string) => {
    await reload();
    setReport(text);
    // The button has gone away with its session.
    heading.current?.focus();
  };
  const endOthers = useAction(async () => {
    await endOtherSessions();
    await finish("Every other session has ended.");
  });
  const rows = (some: readonly ListedSession[]) => (
    <ul>
      {some.map((each) => (
        <SessionRow key={each.id} session={each} onEnded={() => finish("The session has ended.")} />
      ))}
    </ul>
  );
  return (
    <section class="card stack-close" aria-labelledby="sessions">
      <div>
        <h2 id="sessions" tabIndex={-1} ref={heading}>
          Sessions
        </h2>
        <p class="aside">Each log-in starts a session, which lasts 24 hours at most.</p>
      </div>
      {rows(sorted.slice(0, OPEN_SESSIONS))}
      {folded.length === 0 ? null : (
        <details>
          <summary>More sessions ({formatUnits(folded.length)})</summary>
          {rows(folded)}
        </details>
      )}
      <p class="aside report" role="status">
        {report}
      </p>
      <ErrorNotice error={endOthers.error} />
      {sessions.length === 1 ? null : (
        <div class="row">
          <Button look="plain" isSmall isBusy={endOthers.isBusy} onClick={endOthers.run}>
            Log out everywhere else
          </Button>
        </div>
      )}
    </section>
  );
}

interface SessionRowProps {
  readonly session: ListedSession;
  readonly onEnded: () => Promise<void>;
}

function SessionRow({ session, onEnded }: SessionRowProps) {
  const { id, created_at, address, client, current } = session;
  const end = useAction(async () => {
    await endListedSession(id);
    await onEnded();
  });
  const [name, start] = [client ?? "Unknown program", formatMinute(created_at)];
  return (
    <li class="session">
      <span>
        {name} <span class="session-address">from {address}</span>
      </span>
      <time class="session-start" dateTime={created_at} title={created_at}>
        {start}
      </time>
      {current ? (
        <span class="badge badge-good">This session</span>
      ) : (
        <Button
          look="plain"
          isSmall
          isBusy={end.isBusy}
          label={`Log out ${name} from ${address}, started ${start}`}
          onClick={end.run}
        >
          Log out
        </Button>
      )}
      <ErrorNotice error={end.error} />
    </li>
  );
}
