import type { OutgoingMail } from "./store.ts";

/** What a mail says. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A letter in parts, of which both forms are made. */
interface MailTemplate {
  readonly subject: string;
  readonly before: readonly string[];
  /** What the link is called where it can be, and its address. */
  readonly link?: { readonly name: string; readonly address: string };
  readonly after: readonly string[];
}

/**
 * Writes the letter of a mail, in plain text and HTML.
 *
 * @param publicUrl where the link leads. Its token stands in the fragment, which a browser sends to
 *   nobody: it reaches no log and no Referer.
 */
export function renderMail({ kind, link }: OutgoingMail, publicUrl: string): RenderedMail {
  const until = link === undefined ? "" : moment(link.expiresAt);
  const addressOf = (page: string) => `${publicUrl}/${page}#token=${link?.token ?? ""}`;
  const drafts: Record<OutgoingMail["kind"], () => MailTemplate> = {
    verification: () => ({
      subject: "Confirm your email for Kurs",
      before: ["This address was used to open an account with Kurs. Please confirm it is yours:"],
      link: { name: "Confirm this address", address: addressOf("verify") },
      after: [
        `The link works once, until ${until}.`,
        "If it was not you, leave this mail alone: the account stays unconfirmed.",
      ],
    }),
    password_reset: () => ({
      subject: "Set a new password for Kurs",
      before: ["A new password was asked for, for your account with Kurs. Set it here:"],
      link: { name: "Set a new password", address: addressOf("reset") },
      after: [
        `The link works once, until ${until}. It ends every session. API keys keep working, ` +
          "unless this is the first time that you confirm this address: then they are revoked.",
        "If it was not you, leave this mail alone: your password stays as it is.",
      ],
    }),
    password_changed: () => ({
      subject: "Your password for Kurs was changed",
      before: [
        "The password of your account with Kurs was changed, and every session was ended.",
        "Your API keys work as before, unless this was the first time that you confirmed this " +
          "address: then they were revoked.",
      ],
      after: ["If it was not you, ask for a new password at once and revoke the API keys."],
    }),
    test: () => ({
      subject: "A test mail from Kurs",
      before: ["Mail from this Kurs arrives."],
      after: [],
    }),
  };
  return letterFrom(drafts[kind]());
}

function letterFrom({ subject, before, link, after }: MailTemplate): RenderedMail {
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

/** `2026-11-21T12:00:00.000Z` as people read it. */
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
