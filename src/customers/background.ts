import type { Logger } from "pino";
import { runUntilDisposed } from "../platform/async/until-disposed.ts";
import type { Clock } from "../platform/shared/clock.ts";
import type { Secrets } from "../platform/shared/secrets.ts";
import { type NoticeUses, runQuotaNoticeLoop } from "./billing/quota-notices.ts";
import { createDeliverMail, type DeliveryReport, runDeliveryLoop } from "./outbox/deliver.ts";
import type { MailSettings } from "./outbox/mailer.ts";
import type { MailStore } from "./outbox/store.ts";
import { createMailer } from "./outbox/transport/create-mailer.ts";

interface Uses {
  readonly store: NoticeUses["store"] & { readonly mails: MailStore };
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, "uuid">;
  readonly log: Logger;
  /** A number from 0 to 1, for the jitter of a backoff. */
  readonly random: () => number;
  /** Where clients reach the service. */
  readonly publicUrl: () => string;
  /** The time for what cannot be undone. */
  readonly trustedNowMs: () => Promise<number>;
  /** Takes a job for this node. */
  readonly claimJob: Parameters<typeof runQuotaNoticeLoop>[0]["claimJob"];
}

/** How long a shutdown waits for mails that are being delivered. */
const MAIL_DRAIN_MS = 1000;

/** Writes and delivers mails in the background; disposing stops it. */
export function startMails(settings: MailSettings, uses: Uses): AsyncDisposable {
  const work = new AsyncDisposableStack();
  work.use(startQuotaNotices(uses));
  work.use(startMailDelivery(settings, uses));
  return work;
}

/** Mails accounts that reach a threshold, or whose keys end. */
function startQuotaNotices(uses: Uses): AsyncDisposable {
  const onError = (err: unknown) =>
    uses.log.error({ err }, "mails about quotas could not be written");
  return runUntilDisposed((signal) => runQuotaNoticeLoop({ ...uses, onError }, signal));
}

/**
 * Delivers mail; disposing stops it, after MAIL_DRAIN_MS for the mails that are being delivered.
 * Aborted ones are sent again after the next start.
 */
function startMailDelivery(settings: MailSettings, uses: Uses): AsyncDisposable {
  const { log } = uses;
  const stop = new AbortController();
  const abort = new AbortController();
  const mailer = createMailer(settings, uses.publicUrl);
  const onError = (err: unknown) => log.error({ err }, "the mail delivery loop failed");
  const onReport = (report: DeliveryReport) => logDelivery(log, report);
  const deliverMail = createDeliverMail({ ...uses, mailer, onReport });
  const ended = runDeliveryLoop(
    { ...uses, deliverMail, onError },
    { stop: stop.signal, abort: abort.signal },
  );
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      const cutOff = setTimeout(() => abort.abort(new Error("Kurs stopped")), MAIL_DRAIN_MS);
      await ended;
      clearTimeout(cutOff);
      mailer[Symbol.dispose]();
    },
  };
}

function logDelivery(log: Logger, report: DeliveryReport): void {
  if (report.error === undefined) log.info(report, "a mail was delivered");
  else if (report.nextAttemptAt !== undefined) log.warn(report, "a mail could not be delivered");
  else log.error(report, "a mail was given up: see kurs mail list");
}
