import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { serviceOverloaded } from "../shared/failure.ts";
import { accountOf, type SessionGuard } from "./authentication.ts";
import { ClientGone } from "./client-address.ts";

// Lists, exports and most messages over MCP cost no unit, take milliseconds of work and have
// responses of up to 250 KB. 53 KB of pipelined requests for one resource took 0.5 s of
// the event loop when each was served as it arrived.

/** Of an account, those that wait or are not yet written. */
const RESPONSES_PER_ACCOUNT_MAX = 32;

/** Made and not yet written: at 250 KB each, 64 MB for all accounts together. */
const RESPONSES_MAX = 256;

/** The response to a request that costs no unit. */
export interface UnpaidResponse {
  /**
   * Counts it until it is written or its connection has closed, and waits for an event-loop
   * iteration in which no other one is made: paid reads are served in between. Accounts take turns.
   *
   * @throws {Failure} `temporarily_unavailable` beyond the limit of the account or of all.
   * @throws {ClientGone} when the connection has closed meanwhile.
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
export function createUnpaidResponses(
  nextIteration: (party: string) => Promise<void>,
): AwaitUnpaid {
  const lastOf = new WeakMap<Socket, Promise<unknown>>();
  const ofAccount = new Map<string, Set<ServerResponse>>();
  const made = new Set<ServerResponse>();

  /** Closes the connection that is unread for longest. @returns false when every client reads. */
  const closeUnread = (): boolean => {
    const unread = made.values().find(({ req }) => req.socket.writableLength > 0);
    unread?.req.socket.destroy();
    return unread !== undefined;
  };

  const count = async (accountId: string, response: ServerResponse, written: Promise<unknown>) => {
    const own = ofAccount.getOrInsertComputed(accountId, () => new Set());
    if (own.size >= RESPONSES_PER_ACCOUNT_MAX) {
      // A client that ignores Retry-After comes back no faster than it is rejected.
      await nextIteration(accountId);
      throw serviceOverloaded;
    }
    own.add(response);
    const end = () => {
      made.delete(response);
      own.delete(response);
      if (own.size === 0) ofAccount.delete(accountId);
    };
    written.then(end, end);
    await nextIteration(accountId);
    if (response.req.socket.destroyed) throw new ClientGone();
    if (made.size >= RESPONSES_MAX && !closeUnread()) throw serviceOverloaded;
    made.add(response);
  };

  return async (response) => {
    const { socket } = response.req;
    const earlier = lastOf.get(socket) ?? Promise.resolve();
    const written = earlier.then(() => untilWritten(response));
    lastOf.set(socket, written);
    await earlier;
    if (socket.destroyed) throw new ClientGone();
    return { count: (accountId) => count(accountId, response, written) };
  };
}

/**
 * Waits for the end of a response. One behind others on a connection that closes has no event of
 * its own.
 *
 * @returns whether it is a success that was written whole.
 */
export function untilWritten(response: ServerResponse): Promise<boolean> {
  const { socket } = response.req;
  return new Promise((resolve) => {
    const end = () => {
      response.off("close", end);
      socket.off("close", end);
      resolve(response.statusCode < 400 && response.writableFinished);
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
