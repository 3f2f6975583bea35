import assert from "node:assert/strict";
import { setTimeout as after } from "node:timers/promises";
import type { OpenApiDocument } from "../support/openapi.ts";
import type { Answer } from "../support/service.ts";
import type { Case } from "./case.ts";
import { messageOf, sentBytes } from "./case.ts";
import { Line } from "./connection.ts";
import type { Cast } from "./fixtures.ts";
import { bytesOf } from "./message.ts";
import { judge, judgeBroken } from "./oracle.ts";

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
  #line: Line | undefined;

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
    if (this.#line?.isClosed) {
      this.#hangUp();
      assert.fail("the connection was closed, though the last answer left it open");
    }
    const exchange = await this.#askUntilServed(bytesOf(message), message.method === "HEAD");
    answers.push(...exchange.answers);
    const [answer] = exchange.answers;
    assert.ok(answer !== undefined, `no answer, but ${JSON.stringify(exchange.rest)}`);
    const isLast = answer.headers.connection === "close";
    // What cannot be read is no HEAD yet: its refusal says why, and closes the connection.
    const isUnread = isLast && (answer.status === 400 || answer.status === 413);
    if (!isUnread) assert.equal(exchange.rest, "", "more came than one answer");
    assert.equal(exchange.isClosed, isLast, "the connection is not as the answer says");
    if (isLast) this.#hangUp();
    judge(this.#document, cast, message, answer, tried.mutations.length === 0);
  }

  /** Retries as a 503 asks for: a busy machine makes log-ins wait too long now and then. */
  async #askUntilServed(bytes: Buffer, isHead: boolean) {
    this.#line ??= new Line(this.#url);
    for (let retries = 0; ; retries += 1) {
      const exchange = await this.#line.ask(bytes, isHead);
      const [answer] = exchange.answers;
      // A suspended pair's 503 was charged, and says so.
      const isBusy = answer?.status === 503 && answer.headers.ratelimit === undefined;
      if (!isBusy || exchange.isClosed || retries === RETRIES_MAX) return exchange;
      await after(1000);
    }
  }

  /** What is no request has an answer, too, unless there is nothing in it at all. */
  async #pour(bytes: Buffer, cast: Cast, answers: Answer[]): Promise<void> {
    const line = new Line(this.#url);
    try {
      const exchange = await line.pour(bytes);
      answers.push(...exchange.answers);
      assert.equal(exchange.rest, "", "what came is no answer");
      const isNothing = /^[\r\n]*$/.test(bytes.toString("latin1"));
      assert.ok(answers.length > 0 || isNothing, "no answer");
      const lines = bytes.toString("latin1").split(/\r|\n/).length;
      assert.ok(answers.length <= lines, "more answers than lines");
      for (const answer of answers) judgeBroken(cast, answer);
    } finally {
      line.drop();
    }
  }

  #hangUp(): void {
    this.#line?.drop();
    this.#line = undefined;
  }
}
