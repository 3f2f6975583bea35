import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { serviceOverloaded } from "../shared/failure.ts";
import { accountOf, type SessionGuard } from "./authentication.ts";
import { ClientGone } from "./client-address.ts";

// Lists, exports and most messages over MCP cost no unit, take milliseconds of work and have
// responses of up to 250 KB. A client may pipeline 200 of them and read nothing: 53 KB of requests
// for one resource took 0.5 s of the event loop.

/** Responses not yet written: at 250 KB each, 64 MB for all accounts together. */
const RESPONSES_PER_ACCOUNT_MAX = 32;
const RESPONSES_MAX = 256;

/** The turn of a request that costs no unit. */
export interface UnpaidTurn {
  /**
   * Counts the response until it is written or its connection has closed, and waits for an
   * event-loop iteration without other unpaid work: paid reads are served in between.
   *
   * @throws {Failure} `temporarily_unavailable` beyond the limit of the account or of all.
   */
  take(accountId: string): Promise<void>;
}

/**
 * Waits until the responses to earlier such requests of the connection are written.
 *
 * @throws {ClientGone} when the connection has closed meanwhile.
 */
export type AwaitTurn = (response: ServerResponse) => Promise<UnpaidTurn>;

/** @param nextIteration runs one piece of unpaid work per event-loop iteration. */
export function createUnpaidTurns(nextIteration: () => Promise<void>): AwaitTurn {
  const lastOf = new WeakMap<Socket, Promise<void>>();
  const countOf = new Map<string, number>();
  let count = 0;

  const take = async (accountId: string, written: Promise<void>) => {
    const own = countOf.get(accountId) ?? 0;
    if (own >= RESPONSES_PER_ACCOUNT_MAX || count >= RESPONSES_MAX) throw serviceOverloaded;
    countOf.set(accountId, own + 1);
    count += 1;
    void written.then(() => {
      count -= 1;
      const left = (countOf.get(accountId) ?? 0) - 1;
      if (left > 0) countOf.set(accountId, left);
      else countOf.delete(accountId);
    });
    await nextIteration();
  };

  return async (response) => {
    const { socket } = response.req;
    const earlier = lastOf.get(socket) ?? Promise.resolve();
    const written = earlier.then(() => untilWritten(response, socket));
    lastOf.set(socket, written);
    await earlier;
    if (socket.destroyed) throw new ClientGone();
    return { take: (accountId) => take(accountId, written) };
  };
}

/** A response behind others on a connection that closes has no event of its own. */
function untilWritten(response: ServerResponse, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      response.off("close", end);
      socket.off("close", end);
      resolve();
    };
    if (socket.destroyed) return end();
    response.once("close", end);
    socket.once("close", end);
  });
}

/** Guards a route of an account's lists. */
export type ListGuard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Checks the session when it is the request's turn, not before: it may end in between. */
export function createListGuard(sessionGuard: SessionGuard, awaitTurn: AwaitTurn): ListGuard {
  return async (request, reply) => {
    const turn = await awaitTurn(reply.raw);
    await sessionGuard(request);
    await turn.take(accountOf(request));
  };
}
