import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { tokenOf } from "../../test/support/mails.ts";
import type { MailToken } from "../support/ledger.ts";

const purposes = { verify: "verification", reset: "password_reset" } as const;

/** Reads and removes the mails of a data directory as they come: many rounds have thousands. */
export class Mailbox {
  readonly #directory: string;
  readonly #tokens = new Map<string, MailToken>();
  /** A mail in flight at a kill is delivered again. */
  readonly #seen = new Set<string>();

  constructor(dataDirectory: string) {
    this.#directory = join(dataDirectory, "mail");
  }

  async look(): Promise<void> {
    const names = await readdir(this.#directory).catch(() => []);
    for (const name of names.filter((name) => name.endsWith(".eml")).sort()) {
      const file = join(this.#directory, name);
      // Another worker may have read it meanwhile.
      const text = await readFile(file, "utf8").catch(() => undefined);
      if (text === undefined) continue;
      await rm(file, { force: true });
      const mail = await PostalMime.parse(text);
      const page = /\/(verify|reset)#token=/.exec(mail.text ?? "")?.[1] as keyof typeof purposes;
      const email = mail.to?.[0]?.address;
      if (page === undefined || email === undefined) continue;
      const token = tokenOf(mail);
      if (this.#seen.has(token)) continue;
      this.#seen.add(token);
      const purpose = purposes[page];
      this.#tokens.set(`${email} ${purpose}`, { token, purpose });
    }
  }

  /** Emails with an unused token of a purpose. */
  addressees(purpose: MailToken["purpose"]): string[] {
    const end = ` ${purpose}`;
    return [...this.#tokens.keys()]
      .filter((name) => name.endsWith(end))
      .map((name) => name.slice(0, -end.length));
  }

  take(email: string, purpose: MailToken["purpose"]): MailToken | undefined {
    const name = `${email} ${purpose}`;
    const token = this.#tokens.get(name);
    this.#tokens.delete(name);
    return token;
  }
}
