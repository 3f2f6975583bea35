import assert from "node:assert/strict";
import fc from "fast-check";
import { assertCommonHeaders } from "../../support/assertions.ts";
import type { Answer } from "../../support/client.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../calendar.ts";
import { assertRefusal, assertSuccess } from "../expected.ts";
import { type Asked, assertQuotaState, rateBody, readInModel } from "../meter.ts";
import type { Model } from "../model.ts";
import { type Person, pairs, someKeyNumber, someNode, somePerson } from "../names.ts";
import { type Step, step } from "../step.ts";
import type { Stage } from "../story-client.ts";

export const someAsked = fc.constantFrom<Asked>("EUR/USD", "EUR/USD", ...pairs, "bad symbols");

/** The symbols in one of the spellings that clients use. */
export function written(stage: Stage, asked: Asked, isLoose: boolean) {
  if (asked === "bad symbols") return { base: "E", quote: stage.symbolOf("USD") };
  const { base, quote } = stage.pairOf(asked);
  return isLoose
    ? { base: ` ${base.toLowerCase()} `, quote: `${quote.toLowerCase()}\t` }
    : { base, quote };
}

export interface Read {
  readonly person: Person;
  readonly keyNumber: number;
  readonly asked: Asked;
  readonly method?: "GET" | "HEAD";
  readonly isLoose?: boolean;
  readonly node?: 0 | 1;
  /** How long before now the time is that it asks for; unset: it asks for the newest rate. */
  readonly agoMs?: number | undefined;
}

/** The time that a read asks for, in whole seconds. */
const atOf = ({ nowMs }: Model, { agoMs }: Read) =>
  agoMs === undefined ? undefined : Math.floor((nowMs - agoMs) / SECOND_MS) * SECOND_MS;

export function sendRead(model: Model, stage: Stage, read: Read): Promise<Answer> {
  const { person, keyNumber, asked, method = "GET", isLoose = false, node = 0 } = read;
  const { base, quote } = written(stage, asked, isLoose);
  const path = `/v1/rates/${encodeURIComponent(base)}/${encodeURIComponent(quote)}`;
  const apiKey = model.key(person, keyNumber)?.secret ?? "";
  const atMs = atOf(model, read);
  const headers = atMs === undefined ? {} : { "accept-datetime": new Date(atMs).toUTCString() };
  return stage.call(node, method, path, { apiKey, headers });
}

export function readOf(read: Read): Step {
  const { person, keyNumber, asked, method = "GET", agoMs } = read;
  const how = method === "HEAD" ? " by HEAD" : "";
  const when = agoMs === undefined ? "" : ` of ${agoMs / SECOND_MS} s ago`;
  return step({
    kind: `read${how}${agoMs === undefined ? "" : " of the past"}`,
    sentence: `${person} reads ${asked}${when}${how} with key ${keyNumber}`,
    can: (model) => model.key(person, keyNumber) !== undefined,
    async run(model, stage) {
      const answer = await sendRead(model, stage, read);
      const { result, quotaState, units } = readInModel(
        model,
        person,
        keyNumber,
        asked,
        atOf(model, read),
      );

      assertQuotaState(answer, model, quotaState);
      assert.equal(answer.headers["units-charged"], String(units));
      if (method === "HEAD") {
        const status = "status" in result ? result.status : 200;
        assert.deepEqual([answer.status, answer.text], [status, ""]);
        assertCommonHeaders(answer);
        return String(status);
      }
      if ("status" in result) return assertRefusal(answer, result);
      assert.ok(asked !== "bad symbols");
      return assertSuccess(answer, 200, rateBody(stage.pairOf(asked), result));
    },
  });
}

export const someRead = fc
  .record({
    person: somePerson,
    keyNumber: someKeyNumber,
    asked: someAsked,
    method: fc.constantFrom<"GET" | "HEAD">("GET", "GET", "GET", "HEAD"),
    isLoose: fc.boolean(),
    node: someNode,
    agoMs: fc.constantFrom(undefined, undefined, undefined, 0, SECOND_MS, HOUR_MS, 40 * DAY_MS),
  })
  .map(readOf);
