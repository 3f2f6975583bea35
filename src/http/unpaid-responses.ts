import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { createIterationQueue } from "../async/iteration-queue.ts";
import { serviceOverloaded } from "../shared/failure.ts";
import { accountOf, type SessionGuard } from "./authentication.ts";
import { ClientGone } from "./client-address.ts";

// Lists, exports and most messages over MCP cost no unit, take milliseconds of work and have
// responses of up to 250 KB. 53 KB of pipelined requests for one resource took 0.5 s of
// the event loop when each was served as it arrived.

/** Responses not yet written: at 250 KB each, 64 MB for all accounts together. */
const RESPONSES_PER_ACCOUNT_MAX = 32;
const RESPONSES_MAX = 256;

/** The response to a request that costs no unit. */
export interface UnpaidResponse {
  /**
   * Counts it until it is written or its connection has closed, and waits for an event-loop
   * iteration in which no other one is made: paid reads are served in between.
   *
   * @throws {Failure} `temporarily_unavailable` beyond the limit of the account or of all.
   */
  count(accountId: string): Promise<void>;
}

/**
 * Waits until the responses to earlier such requests of the connection are written.
 *
 * @throws {ClientGone} when the connection has closed meanwhile.
 */
export type AwaitUnpaid = (response: ServerResponse) => Promise<UnpaidResponse>;

/** @param nextIteration lets one response, or page of a list, be made per event-loop iteration. */
export function createUnpaidResponses(nextIteration: () => Promise<void>): AwaitUnpaid {
  const lastOf = new WeakMap<Socket, Promise<void>>();
  const ofAccount = new Map<string, number>();
  let all = 0;
  // A client that ignores Retry-After comes back no faster than it is rejected.
  const nextRejection = createIterationQueue();

  const count = async (accountId: string, written: Promise<void>) => {
    const own = ofAccount.get(accountId) ?? 0;
    if (own >= RESPONSES_PER_ACCOUNT_MAX || all >= RESPONSES_MAX) {
      await nextRejection();
      throw serviceOverloaded;
    }
    ofAccount.set(accountId, own + 1);
    all += 1;
    void written.then(() => {
      all -= 1;
      const left = (ofAccount.get(accountId) ?? 0) - 1;
      if (left > 0) ofAccount.set(accountId, left);
      else ofAccount.delete(accountId);
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
    return { count: (accountId) => count(accountId, written) };
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

/** Checks the session once the earlier responses are written, not before: it may end meanwhile. */
export function createListGuard(sessionGuard: SessionGuard, awaitUnpaid: AwaitUnpaid): ListGuard {
  return async (request, reply) => {
    const unpaid = await awaitUnpaid(reply.raw);
    await sessionGuard(request);
    await unpaid.count(accountOf(request));
  };
}
