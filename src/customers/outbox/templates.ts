import { counted } from "../../platform/shared/text/counted.ts";
import type { OutgoingMail } from "./store.ts";

// The token is in the link's fragment, which browsers never send: it reaches no log and no Referer.

/** @returns the link to a page that spends a mailed token. */
export function tokenLink(publicUrl: string, page: "verify" | "reset", token: string): string {
  return `${publicUrl}/${page}#token=${token}`;
}

/** @returns the link with which an invited person creates an account. */
export function invitationLink(publicUrl: string, token: string, email: string): string {
  return `${publicUrl}/signup#invitation=${token}&email=${encodeURIComponent(email)}`;
}

/** The content of a mail. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The parts of a mail, from which its text and HTML are built. */
interface MailTemplate {
  readonly subject: string;
  readonly before: readonly string[];
  /** The link's address, and its name in HTML. */
  readonly link?: { readonly name: string; readonly address: string };
  readonly after: readonly string[];
}

/**
 * Renders a mail as plain text and HTML.
 *
 * @param publicUrl the base of the link.
 */
export function renderMail(
  { kind, email, link, quota, endingKey, createdAt }: OutgoingMail,
  publicUrl: string,
): RenderedMail {
  const until = link === undefined ? "" : moment(link.expiresAt);
  const token = link?.token ?? "";
  const addressOf = (page: "verify" | "reset") => tokenLink(publicUrl, page, token);
  const templates: Record<OutgoingMail["kind"], () => MailTemplate> = {
    verification: () => ({
      subject: "Confirm your email for Kurs",
      before: ["This address was used to open an account with Kurs. Please confirm it is yours:"],
      link: { name: "Confirm this address", address: addressOf("verify") },
      after: [
        `The link works once, until ${until}.`,
        "If it was not you, ignore this mail: the account stays unconfirmed.",
      ],
    }),
    password_reset: () => ({
      subject: "Reset your Kurs password",
      before: ["Someone asked to reset your Kurs password. To choose a new one, open this link:"],
      link: { name: "Reset your password", address: addressOf("reset") },
      after: [
        `The link works once, until ${until}. It ends every session. API keys keep working, ` +
          "unless this is the first time that you confirm this address: then they are revoked.",
        "If it was not you, ignore this mail: your password stays as it is.",
      ],
    }),
    password_changed: () => ({
      subject: "Your password for Kurs was changed",
      before: [
        "The password of your account with Kurs was changed, and every session was ended.",
        "Your API keys work as before, unless this was the first time that you confirmed this " +
          "address: then they were revoked.",
      ],
      after: ["If it was not you, request a new password at once and revoke the API keys."],
    }),
    account_created: () => ({
      subject: "Your account with Kurs",
      before: [
        "An operator of this Kurs server has opened an account for this address. Choose a " +
          "password for it:",
      ],
      link: { name: "Choose a password", address: addressOf("reset") },
      after: [
        `The link works once, until ${until}. After that, ask for another one with “Forgot your ` +
          "password?” on the log-in page.",
        "If you did not expect this mail, ignore it.",
      ],
    }),
    invitation: () => ({
      subject: "You are invited to Kurs",
      before: [`An operator of this Kurs server invites you to open an account for ${email}:`],
      link: {
        name: "Open an account",
        address: invitationLink(publicUrl, token, email),
      },
      after: [
        `The link works once, until ${until}, and only for this address.`,
        "If you did not expect this mail, ignore it.",
      ],
    }),
    quota_reached: () => quotaMail(quota, createdAt, publicUrl),
    key_ends: () => endingKeyMail(endingKey, publicUrl),
    test: () => ({
      subject: "A test mail from Kurs",
      before: ["Mail from this Kurs server arrives."],
      after: [],
    }),
  };
  return fillTemplate(templates[kind]());
}

/**
 * A mail about thresholds of the quota. It names times instead of "this period" and "now": it may
 * be delivered, and read, after the end of the period.
 *
 * @param quota of this kind of mail always set.
 * @param writtenAt RFC 3339 in UTC: when the figures were true.
 */
function quotaMail(
  quota: OutgoingMail["quota"],
  writtenAt: string,
  publicUrl: string,
): MailTemplate {
  if (quota === undefined) throw new TypeError("a mail about the quota has no figures");
  const { used_units: used, quota_units: units, resets_at: resetsAt, reached = [] } = quota;
  const month = monthBefore(resetsAt);
  const effect =
    used >= units
      ? `Further reads get 429 quota_exceeded and cost nothing until ${moment(resetsAt)}, unless ` +
        "the operator of this server grants units, or moves the account to a larger plan."
      : `When all are used, further reads get 429 quota_exceeded until ${moment(resetsAt)}.`;
  const isOver = writtenAt >= resetsAt;
  return {
    subject: quotaSubject(quota.threshold, month),
    before: [
      `Your account with Kurs has used ${grouped(used)} of its ` +
        `${counted(units, "unit", grouped(units))} in the billing period of ${month}.`,
      ...(reached.length === 0 ? [] : [`Reached: ${reached.join("; ")}.`]),
      isOver ? `That period ended on ${moment(resetsAt)}, and one with a new quota began.` : effect,
    ],
    link: { name: "See the usage", address: `${publicUrl}/usage` },
    after: [
      "Kurs mentions each threshold once in each billing period. You can set the thresholds, or " +
        "turn these mails off, on that page.",
    ],
  };
}

function quotaSubject(percent: number, month: string): string {
  if (percent === 100) return `Your Kurs quota for ${month} is used up`;
  if (percent > 0) return `At least ${percent} % of your Kurs quota for ${month} is used`;
  return `Your usage of Kurs has reached a threshold in ${month}`;
}

/** @param key of this kind of mail always set. */
function endingKeyMail(key: OutgoingMail["endingKey"], publicUrl: string): MailTemplate {
  if (key === undefined) throw new TypeError("a mail about the end of a key does not name it");
  const end = moment(key.ends_at);
  return {
    subject: `An API key for Kurs ends on ${end}`,
    before: [
      `The API key ${key.label} of your account with Kurs ends on ${end}. From then on, ` +
        "requests with it get 401 unauthorized.",
      "To go on reading, rotate it (the new key has the same name and limits) or move its end. " +
        "If you have rotated it, use the new key wherever this one is in use.",
    ],
    link: { name: "See the API keys", address: `${publicUrl}/keys` },
    after: ["Kurs sends this mail 7 days and 1 day before the end of a key."],
  };
}

/** @returns the name of the month that ends at a time: `November 2026`. */
function monthBefore(end: string): string {
  const options = { month: "long", year: "numeric", timeZone: "UTC" } as const;
  return new Date(Date.parse(end) - 1).toLocaleDateString("en-US", options);
}

/** Groups the digits of a count: `1,000,000`. */
const grouped = (units: number): string => units.toLocaleString("en-US");

function fillTemplate({ subject, before, link, after }: MailTemplate): RenderedMail {
  const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`;
  const anchor =
    link && `<p><a href="${escapeHtml(link.address)}">${escapeHtml(link.name)}</a></p>`;
  const body = [...before.map(paragraph), anchor ?? "", ...after.map(paragraph)].join("\n");
  const head = `<meta charset="utf-8"><title>${escapeHtml(subject)}</title>`;
  return {
    subject,
    text: `${[...before, ...(link ? [link.address] : []), ...after].join("\n\n")}\n`,
    html:
      `<!doctype html>\n<html lang="en">\n<head>${head}</head>\n` +
      `<body style="font-family: sans-serif; line-height: 1.5">\n${body}\n</body>\n</html>\n`,
  };
}

/** Formats `2026-11-21T12:00:00.000Z` for people. */
function moment(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`;
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
