import assert from "node:assert/strict";
import type { Email } from "postal-mime";
import { eventually, mailsIn } from "../support/mails.ts";
import type { Model } from "./model.ts";
import type { Stage } from "./stage.ts";
import type { Theatre } from "./theatre.ts";

/** Later than any story: what waits in the outbox is due by then. */
const AFTER_ALL = "2031-01-01T00:00:00.000Z";

/**
 * What the stories' mails must have been. They go out by the second, too slowly for a story to wait
 * for each; all are looked at when the last story is over.
 */
export class MailBook {
  /** Each token that was mailed, with its reader and the page that its link leads to. */
  readonly #mailed = new Set<string>();
  /** Those which no newer one has voided: their mails cannot have been taken back. */
  readonly #newest = new Set<string>();
  readonly #told = new Set<string>();

  note(model: Model, stage: Stage): void {
    for (const { person, tokens, resets } of model.accounts.values()) {
      const email = stage.emailOf(person);
      const lineOf = ({ purpose, text }: (typeof tokens)[number]) =>
        `${email} ${purpose === "reset" ? "reset" : "verify"} ${text}`;
      for (const token of tokens) this.#mailed.add(lineOf(token));
      for (const purpose of ["verification", "reset"] as const) {
        const newest = tokens.findLast((token) => token.purpose === purpose);
        if (newest !== undefined) this.#newest.add(lineOf(newest));
      }
      if (resets > 0) this.#told.add(email);
    }
  }

  /** @returns how many mails there were, each to whom the model says, with the token it says. */
  async audit({ clock, dataDirectory }: Theatre): Promise<number> {
    clock.set(AFTER_ALL);
    const mails = await eventually("mail of every token and reset", async () => {
      const arrived = await mailsIn(dataDirectory);
      const lines = new Set(arrived.map(lineIn));
      const isWhole = this.#newest.isSubsetOf(lines) && this.#told.isSubsetOf(lines);
      return isWhole ? arrived : undefined;
    });
    const expected = this.#mailed.union(this.#told);
    for (const mail of mails)
      assert.ok(expected.has(lineIn(mail)), `${lineIn(mail)} is unforeseen`);
    return mails.length;
  }
}

/** The reader, page and token of a mail; of one without a link the reader. */
function lineIn({ to, text }: Email): string {
  const reader = to?.[0]?.address ?? "";
  const [, page, token] = /\/(verify|reset)#token=(\S+)/.exec(text ?? "") ?? [];
  return page === undefined ? reader : `${reader} ${page} ${token}`;
}
