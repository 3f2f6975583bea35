import { createRequire } from "node:module";
import type * as Format from "typebox/format";
import { isMailable } from "../../../platform/shared/text/email.ts";
import type { MailAddress } from "../mailer.ts";

const require = createRequire(import.meta.url);

/** The options of nodemailer's URL that are allowed: none that shows a mail or sends it twice. */
const smtpOption = /^(tls\..+|requireTLS|ignoreTLS|name|authMethod)$/;

/**
 * Checks `SMTP_URL`.
 *
 * @returns a sentence for each problem, without the value, which may contain a password.
 */
export function smtpUrlProblems(text: string | undefined): string[] {
  if (text === undefined) return [];
  // Parsed as https: URL accepts any host after a scheme that it does not know.
  const url = /^smtps?:\/\/[^/]/i.test(text) ? URL.parse(text.replace(/^smtps?/i, "https")) : null;
  const problems: string[] = [];
  if (url === null)
    problems.push("must be an address such as smtps://user:password@mail.example.org");
  const options = [...(url?.searchParams ?? [])];
  const unknown = options.map(([name]) => name).filter((name) => !smtpOption.test(name));
  if (unknown.length > 0) problems.push(`there is no option ${unknown.join(", ")}`);
  const tls = options.filter(([name]) => /^(?:requireTLS|ignoreTLS)$/.test(name));
  if (tls.length > 1 || tls.some(([, value]) => value !== "true" && value !== "false")) {
    problems.push("must have one of requireTLS and ignoreTLS, once, and true or false");
  }
  return problems;
}

/** Parses `MAIL_FROM`. Unset: `kurs` at PUBLIC_URL's host. */
export function parseMailFrom(
  text: string | undefined,
  publicUrl: string | undefined,
  problems: string[],
): MailAddress {
  if (text === undefined && publicUrl === undefined) {
    return { name: "Kurs", address: "kurs@localhost" };
  }
  const host = (URL.parse(publicUrl ?? "")?.hostname ?? "localhost").replace(/^\[/, "[IPv6:");
  const sender = text ?? `Kurs <kurs@${host}>`;
  const named = /^([^<>]*)<([^<>]*)>$/.exec(sender);
  const [name, address] = named === null ? ["", sender] : [named[1] ?? "", named[2] ?? ""];
  if (!isEmail(address) || !isMailable(address) || !isMailable(name)) {
    const shown = JSON.stringify(sender);
    problems.push(`MAIL_FROM: must be a sender such as Kurs <kurs@example.org>, not ${shown}`);
  }
  return { name: name.trim().replace(/^"(.*)"$/, "$1"), address };
}

/** Loads the validator only when there is an address: 11 ms and 7 MB at startup. */
function isEmail(text: string): boolean {
  const { IsEmail } = require("typebox/format") as typeof Format;
  return IsEmail(text);
}
