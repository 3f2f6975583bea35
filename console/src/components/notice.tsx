import type { ComponentChildren } from "preact";
import type { ApiError } from "../api.ts";

interface NoticeProps {
  readonly kind: "good" | "warn" | "bad";
  /** In front of the page's lower edge, where it moves nothing. */
  readonly isAfloat?: boolean;
  readonly children: ComponentChildren;
}

/** Something to know, told to screen readers too as soon as it is there. */
export function Notice({ kind, isAfloat = false, children }: NoticeProps) {
  const place = isAfloat ? "notice-afloat" : "";
  return (
    <div class={`notice notice-${kind} ${place}`} role={kind === "bad" ? "alert" : "status"}>
      {children}
    </div>
  );
}

/** What went wrong, with the id that the operator finds in the log. */
export function ErrorNotice({ error }: { readonly error: ApiError | undefined }) {
  if (error === undefined) return null;
  return (
    <Notice kind="bad">
      <p>{error.message}</p>
      <RequestId error={error} />
    </Notice>
  );
}

/** What the operator finds the request by in the log. */
export function RequestId({ error: { requestId } }: { readonly error: ApiError }) {
  if (requestId === undefined) return null;
  return (
    <p class="notice-small">
      Request <code>{requestId}</code>
    </p>
  );
}

/** As `ErrorNotice`, for what is loaded: the page tries again by itself where that may help. */
export function LoadingNotice({ error }: { readonly error: ApiError | undefined }) {
  if (error === undefined || !error.isPassing) return <ErrorNotice error={error} />;
  return (
    <Notice kind="warn" isAfloat>
      <p>{error.message} Trying again every two seconds.</p>
      <RequestId error={error} />
    </Notice>
  );
}
