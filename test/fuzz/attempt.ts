import assert from "node:assert/strict";
import { setTimeout as after } from "node:timers/promises";
import type { Answer } from "../support/client.ts";
import type { OpenApiDocument } from "../support/openapi.ts";
import { openWire, type Wire } from "../support/raw-connection.ts";
import { type Case, messageOf, sentBytes } from "./case.ts";
import type { Cast } from "./fixtures.ts";
import { bytesOf } from "./message.ts";
import { check, checkBroken } from "./oracle.ts";

/** A request that still returns 503 after this many retries is a fault. */
const RETRIES_MAX = 5;

/** The result of an attempt: its responses and the fault, if any. */
export interface Attempt {
  readonly answers: readonly Answer[];
  readonly fault?: string;
}

/** Sends cases to a service. Those with well-formed bytes share one connection. */
export class Sender implements Disposable {
  readonly #url: string;
  readonly #document: OpenApiDocument;
  #wire: Wire | undefined;

  constructor(url: string, document: OpenApiDocument) {
    this.#url = url;
    this.#document = document;
  }

  async attempt(tried: Case, cast: Cast): Promise<Attempt> {
    const answers: Answer[] = [];
    try {
      if (tried.breaks.length > 0) await this.#pour(sentBytes(tried, cast), cast, answers);
      else await this.#ask(tried, cast, answers);
      return { answers };
    } catch (error) {
      this.#hangUp();
      return { answers, fault: (error as Error).message };
    }
  }

  [Symbol.dispose](): void {
    this.#hangUp();
  }

  /** Of one request there is one answer, and the connection is as the answer says. */
  async #ask(tried: Case, cast: Cast, answers: Answer[]): Promise<void> {
    const message = messageOf(tried, cast);
    if (this.#wire?.isOver()) {
      this.#hangUp();
      assert.fail("the connection was closed, though the last answer left it open");
    }
    this.#wire ??= await openWire(this.#url, true);
    const wire = this.#wire;
    const answer = await askUntilServed(wire, bytesOf(message), message.method === "HEAD");
    answers.push(answer);
    const isLast = answer.headers.connection === "close";
    // What cannot be read is no HEAD yet: its refusal says why, and closes the connection.
    const isUnread = isLast && (answer.status === 400 || answer.status === 413);
    if (!isUnread) assert.equal(wire.received(), "", "more came than one answer");
    assert.equal(wire.isOver(), isLast, "the connection is not as the answer says");
    if (isLast) this.#hangUp();
    check(this.#document, cast, message, answer, tried.mutations.length === 0);
  }

  /** What is no request has an answer, too, unless there is nothing in it at all. */
  async #pour(bytes: Buffer, cast: Cast, answers: Answer[]): Promise<void> {
    const wire = await openWire(this.#url, true);
    try {
      const poured = await wire.pour(bytes);
      answers.push(...poured.answers);
      assert.equal(poured.rest, "", "what came is no answer");
      const isNothing = /^[\r\n]*$/.test(bytes.toString("latin1"));
      assert.ok(answers.length > 0 || isNothing, "no answer");
      const lines = bytes.toString("latin1").split(/\r|\n/).length;
      assert.ok(answers.length <= lines, "more answers than lines");
      for (const answer of answers) checkBroken(cast, answer);
    } finally {
      wire.socket.resetAndDestroy();
    }
  }

  #hangUp(): void {
    // Leaves nothing of the connection waiting in the system.
    this.#wire?.socket.resetAndDestroy();
    this.#wire = undefined;
  }
}

/** Retries as a 503 asks for: a busy machine makes log-ins wait too long now and then. */
async function askUntilServed(wire: Wire, bytes: Buffer, isHead: boolean): Promise<Answer> {
  for (let retries = 0; ; retries += 1) {
    wire.send(bytes);
    const answer = await wire.answer(isHead);
    if (answer.headers.connection === "close") await wire.untilEnd();
    // A suspended pair's 503 was charged, and says so.
    const isBusy = answer.status === 503 && answer.headers.ratelimit === undefined;
    if (!isBusy || wire.isOver() || retries === RETRIES_MAX) return answer;
    await after(1000);
  }
}
