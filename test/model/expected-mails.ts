import assert from "node:assert/strict";
import type { Email } from "postal-mime";
import { eventually, mailsIn } from "../support/mails.ts";
import type { Model } from "./model.ts";
import type { Theatre } from "./service-under-test.ts";
import type { Stage } from "./story-client.ts";

/** Later than any story: what waits in the outbox is due by then. */
const AFTER_ALL = "2031-01-01T00:00:00.000Z";

/**
 * What the stories' mails must have been. They go out by the second, too slowly for a story to wait
 * for each; all are looked at when some stories are over.
 */
export class MailBook {
  /** What comes: each token that was mailed with its reader and page, and each notice. */
  readonly #foreseen = new Set<string>();
  /** What must still come. */
  readonly #awaited = new Set<string>();
  readonly #files = new Set<string>();

  note(model: Model, stage: Stage): void {
    for (const { person, tokens, resets } of model.accounts.values()) {
      const email = stage.emailOf(person);
      const lineOf = ({ purpose, text }: (typeof tokens)[number]) =>
        `${email} ${purpose === "reset" ? "reset" : "verify"} ${text}`;
      for (const line of [...tokens.map(lineOf), ...(resets > 0 ? [email] : [])]) {
        this.#foreseen.add(line);
        this.#awaited.add(line);
      }
    }
  }

  /** Waits for the mails that must come, and holds each that comes to the model. */
  async audit({ clock, dataDirectory }: Theatre): Promise<void> {
    clock.set(AFTER_ALL);
    const isNew = (name: string) => !this.#files.has(name) && this.#files.add(name).size > 0;
    try {
      while (this.#awaited.size > 0) {
        // Nobody waits for all of them at a time: a slow machine takes as long as it needs.
        const mails = await eventually("further mail", async () => {
          const arrived = await mailsIn(dataDirectory, isNew);
          return arrived.length === 0 ? undefined : arrived;
        });
        for (const line of mails.map(lineIn)) {
          assert.ok(this.#foreseen.has(line), `a mail that nobody asked for: ${line}`);
          this.#awaited.delete(line);
        }
      }
    } catch (error) {
      const missing = [...this.#awaited].join("\n  ");
      throw new Error(`the mails are not as the model has them; missing:\n  ${missing}`, {
        cause: error,
      });
    }
  }

  /** How many mails have come. */
  get mails(): number {
    return this.#files.size;
  }
}

/** The reader, page and token of a mail; of one without a link the reader. */
function lineIn({ to, text }: Email): string {
  const reader = to?.[0]?.address ?? "";
  const [, page, token] = /\/(verify|reset)#token=(\S+)/.exec(text ?? "") ?? [];
  return page === undefined ? reader : `${reader} ${page} ${token}`;
}
