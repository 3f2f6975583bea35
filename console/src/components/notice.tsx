import type { ComponentChildren } from "preact";
import type { ApiError } from "../api.ts";

interface NoticeProps {
  readonly kind: "good" | "warn" | "bad";
  readonly children: ComponentChildren;
}

/** Something to know, told to screen readers too as soon as it is there. */
export function Notice({ kind, children }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === "bad" ? "alert" : "status"}>
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
      {error.requestId === undefined ? null : (
        <p class="notice-small">
          Request <code>{error.requestId}</code>
        </p>
      )}
    </Notice>
  );
}

/** As `ErrorNotice`, for what is loaded: the page tries again by itself where that may help. */
export function LoadingNotice({ error }: { readonly error: ApiError | undefined }) {
  if (error === undefined || !error.isPassing) return <ErrorNotice error={error} />;
  return (
    <Notice kind="warn">
      <p>{error.message} Trying again every two seconds.</p>
      {error.requestId === undefined ? null : (
        <p class="notice-small">
          Request <code>{error.requestId}</code>
        </p>
      )}
    </Notice>
  );
}
