import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Logger } from "pino";
import { credentialOf } from "../authentication.ts";
import { ClientGone } from "../client-address.ts";

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

/** Responds with JSON text that comes in pieces, paced with the pages of lists. */
export type SendPieces = (
  reply: FastifyReply,
  pieces: AsyncGenerator<string, void>,
) => Promise<object>;

const JSON_TYPE = "application/json; charset=utf-8";

/** A longer text is sent while it is made; a shorter one whole, with its length. */
const WHOLE_CHARACTERS_MAX = 65_536;

/** Less than a full page: several short ones, such as those of most exports, share a turn. */
const CHARACTERS_PER_TURN = 8192;

export function createListSenders(
  log: Logger,
  nextIteration: (party: string) => Promise<void>,
  authenticate: (session: string | undefined) => Promise<string>,
) {
  const sendPieces: SendPieces = async (reply, pieces) => {
    const { accountId, raw } = reply.request;
    // The first turn is the one in which the response was counted.
    let inTurn = 0;
    const next = async (): Promise<string | undefined> => {
      if (inTurn > CHARACTERS_PER_TURN) {
        await nextIteration(accountId ?? "");
        if (raw.socket.destroyed) throw new ClientGone();
        inTurn = 0;
      }
      const { done, value } = await pieces.next();
      // After the piece was read, so that nothing leaves that was read without a session.
      await authenticate(credentialOf(reply.request.raw, "Session"));
      inTurn += value?.length ?? 0;
      return done === true ? undefined : value;
    };
    let first = "";
    while (first.length <= WHOLE_CHARACTERS_MAX) {
      const piece = await next();
      if (piece === undefined) return reply.type(JSON_TYPE).send(first);
      first += piece;
    }
    // A longer text is sent while it is made, so that it is never in memory whole.
    const texts = async function* () {
      yield first;
      for (let piece = await next(); piece !== undefined; piece = await next()) yield piece;
    };
    const body = Readable.from(texts());
    body.once("error", (err) => {
      log.warn({ err, request_id: reply.request.id }, "a list response was cut off before its end");
    });
    return reply.type(JSON_TYPE).send(body);
  };

  const sendList: SendList = (reply, name, pages, toJson) =>
    sendPieces(reply, listText(name, pages, toJson));

  return { sendList, sendPieces };
}

/** The text of a list, in a piece for each page. */
async function* listText<Item>(
  name: string,
  pages: AsyncGenerator<readonly Item[], void>,
  toJson: (item: Item) => object,
): AsyncGenerator<string, void> {
  let before = `{"${name}":[`;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + JSON.stringify(page.map(toJson)).slice(1, -1);
    before = ",";
  }
  yield before === "," ? "]}" : `${before}]}`;
}
