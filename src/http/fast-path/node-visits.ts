import type { Socket } from "node:net";
import type { Exchanges } from "../exchanges.ts";
import { requestLength } from "./grammar.ts";
import { NodeSide } from "./node-side.ts";

interface NodeVisitsDeps {
  /** Serves a connection from its start with node:http. */
  readonly handOffToNode: (socket: Socket) => void;
  readonly exchanges: Exchanges;
}

/**
 * The requests of a fast-path connection that node:http serves through a stream. All bytes from a
 * request's first on go to node:http, and the visit ends only if exactly one whole request arrived
 * and has its response: node:http's parser then is between two requests. Whatever else arrives
 * meanwhile, the connection belongs to node:http from then on.
 */
export class NodeVisits {
  /** Whether node:http serves a request, or everything from now on. */
  isActive = false;
  readonly #side: NodeSide;
  readonly #exchanges: Exchanges;
  readonly #onEnd: () => void;
  /** The request's bytes so far, until its head is complete. */
  #head: Buffer = Buffer.alloc(0);
  /**
   * The bytes of the request that are still to come: infinite until its head is complete, negative
   * once others followed it, undefined if it has no certain end. A visit only ends at 0.
   */
  #missing: number | undefined = 0;
  #hasResponded = false;

  /** @param onEnd runs at the end of each visit: the next byte begins a request. */
  constructor(socket: Socket, deps: NodeVisitsDeps, onEnd: () => void) {
    this.#exchanges = deps.exchanges;
    this.#onEnd = onEnd;
    this.#side = new NodeSide(socket);
    deps.exchanges.onIdle(asSocket(this.#side), () => {
      this.#hasResponded = true;
      this.#endIfOver();
    });
    deps.handOffToNode(asSocket(this.#side));
  }

  /** Whether no request is in flight, as node:http sees it: half a request counts as none. */
  get isIdle(): boolean {
    return this.#exchanges.countOf(asSocket(this.#side)) === 0 && !this.#side.writableEnded;
  }

  /**
   * Begins a visit.
   *
   * @param length of the request that begins with these bytes, as `requestLength` reports it;
   *   undefined for a visit without end.
   */
  begin(bytes: Buffer, length: number | undefined): void {
    this.isActive = true;
    this.#hasResponded = false;
    this.#head = bytes;
    this.#missing = length === undefined ? undefined : length - bytes.length;
    this.#side.give(bytes);
  }

  /** Takes bytes of the client during a visit. */
  give(bytes: Buffer): void {
    if (this.#missing === Number.POSITIVE_INFINITY) {
      this.#head = Buffer.concat([this.#head, bytes]);
      const length = requestLength(this.#head);
      this.#missing = length === undefined ? undefined : length - this.#head.length;
    } else if (this.#missing !== undefined) this.#missing -= bytes.length;
    this.#side.give(bytes);
    this.#endIfOver();
  }

  /** The client has ended its side. */
  giveEnd(): void {
    this.#side.giveEnd();
  }

  destroy(error?: Error): void {
    this.#side.destroy(error);
  }

  #endIfOver(): void {
    if (!this.isActive || this.#missing !== 0 || !this.#hasResponded) return;
    // The response was the connection's last one: a further request would get none.
    if (this.#side.writableEnded) return;
    this.isActive = false;
    this.#onEnd();
  }
}

/** node:http serves any duplex stream; its types name sockets only. */
function asSocket(stream: NodeSide): Socket {
  return stream as unknown as Socket;
}
