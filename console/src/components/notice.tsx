import type { ComponentChildren } from "preact";
import type { ApiError } from "../api/request.ts";

interface NoticeProps {
  readonly kind: "good" | "warn" | "bad";
  /** Over the page's lower edge, where it does not move the content. */
  readonly isAfloat?: boolean;
  readonly children: ComponentChildren;
}

/** A message, which screen readers announce as soon as it appears. */
export function Notice({ kind, isAfloat = false, children }: NoticeProps) {
  const place = isAfloat ? "notice-afloat" : "";
  return (
    <div class={`notice notice-${kind} ${place}`} role={kind === "bad" ? "alert" : "status"}>
      {children}
    </div>
  );
}

/** An error; one of the service, with the request id that the operator finds in the log. */
export function ErrorNotice({ error }: { readonly error: ApiError | undefined }) {
  if (error === undefined) return null;
  return (
    <Notice kind="bad">
      <p>{error.message}</p>
      <RequestId error={error} />
    </Notice>
  );
}

/** The id by which the operator finds the request in the log. */
function RequestId({ error }: { readonly error: ApiError }) {
  const { requestId, isOperators } = error;
  if (requestId === undefined || !isOperators) return null;
  return (
    <p class="notice-small">
      Request <code>{requestId}</code>
    </p>
  );
}

/** Like `ErrorNotice`, for loading: the page retries after an error that may pass. */
export function LoadingNotice({ error }: { readonly error: ApiError | undefined }) {
  if (error === undefined || !error.isPassing) return <ErrorNotice error={error} />;
  return (
    <Notice kind="warn" isAfloat>
      <p>{error.message} Trying again every two seconds.</p>
      <RequestId error={error} />
    </Notice>
  );
}
