import assert from "node:assert/strict";
import type { Email } from "postal-mime";
import { eventually, mailsIn } from "../support/mails.ts";
import type { Model } from "./model.ts";
import type { Theatre } from "./service-under-test.ts";
import type { Stage } from "./story-client.ts";

/** Later than any story: every mail in the outbox is due by then. */
const AFTER_ALL = "2031-01-01T00:00:00.000Z";

/**
 * The mails that the stories must have caused. Deliveries take seconds, too long for a story to
 * wait for each; all are checked after some stories.
 */
export class MailBook {
  /**
   * Mails about the quota that may come, each once. Which of them do depends on when a node looks,
   * and on the quotas that later stories give the same plan in the same month.
   */
  readonly #possible = new Set<string>();
  /** Every mail that may come: its reader, page and token, or for a notice its reader. */
  readonly #expected = new Set<string>();
  /** Those that have not come yet. */
  readonly #missing = new Set<string>();
  readonly #files = new Set<string>();

  note(model: Model, stage: Stage): void {
    for (const { person, tokens, resets, charges } of model.accounts.values()) {
      const email = stage.emailOf(person);
      const lineOf = ({ purpose, text }: (typeof tokens)[number]) =>
        `${email} ${purpose === "reset" ? "reset" : "verify"} ${text}`;
      for (const line of [...tokens.map(lineOf), ...(resets > 0 ? [email] : [])]) {
        this.#expected.add(line);
        this.#missing.add(line);
      }
      for (const { atMs } of charges) {
        for (const subject of quotaSubjectsOf(atMs)) this.#possible.add(`${email} ${subject}`);
      }
    }
  }

  /** Waits for the missing mails and checks each mail that comes. */
  async audit({ clock, dataDirectory }: Theatre): Promise<void> {
    clock.set(AFTER_ALL);
    const isNew = (name: string) => !this.#files.has(name) && this.#files.add(name).size > 0;
    try {
      while (this.#missing.size > 0) {
        // Waits for the next mails only, not for all: a slow machine takes as long as it needs.
        const mails = await eventually("further mail", async () => {
          const arrived = await mailsIn(dataDirectory, isNew);
          return arrived.length === 0 ? undefined : arrived;
        });
        for (const line of mails.map(lineIn)) {
          const isKnown = this.#expected.has(line) || this.#possible.delete(line);
          assert.ok(isKnown, `an unexpected mail: ${line}`);
          this.#missing.delete(line);
        }
      }
    } catch (error) {
      const missing = [...this.#missing].join("\n  ");
      throw new Error(`the mails differ from the model; missing:\n  ${missing}`, {
        cause: error,
      });
    }
  }

  /** The number of mails that have come. */
  get mails(): number {
    return this.#files.size;
  }
}

/** The subjects of the mails about the quota of the month of a charge. */
function quotaSubjectsOf(atMs: number): string[] {
  const options = { month: "long", year: "numeric", timeZone: "UTC" } as const;
  const month = new Date(atMs).toLocaleDateString("en-US", options);
  return [
    `At least 80 % of your Kurs quota for ${month} is used`,
    `Your Kurs quota for ${month} is used up`,
  ];
}

/**
 * The reader, page and token of a mail; the reader and subject of one about the quota; of another
 * notice just the reader.
 */
function lineIn({ to, text, subject = "" }: Email): string {
  const reader = to?.[0]?.address ?? "";
  if (subject.includes("quota")) return `${reader} ${subject}`;
  const [, page, token] = /\/(verify|reset)#token=(\S+)/.exec(text ?? "") ?? [];
  return page === undefined ? reader : `${reader} ${page} ${token}`;
}
