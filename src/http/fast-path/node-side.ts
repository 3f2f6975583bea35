import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { endGently } from "../server/end-gently.ts";
import type { Exchanges } from "../server/exchanges.ts";
import { requestLength } from "./grammar.ts";

const NOTHING = Buffer.alloc(0);

interface NodeSideDeps {
  /** Serves a connection from its start with node:http. */
  readonly serveWithNode: (socket: Socket) => void;
  readonly exchanges: Exchanges;
}

/**
 * A connection as node:http sees it (nodejs.org/api/http.html, event `connection`: any duplex
 * stream is a connection). The fast path keeps the socket and gives the bytes that it does not
 * serve; what node:http writes goes to the socket.
 *
 * All bytes from a request's first on go to node:http, and the connection returns to the fast path
 * only if exactly one whole request arrived and has its response: node:http's parser then is
 * between two requests. Whatever else arrives, node:http serves everything from then on.
 */
export class NodeSide extends Duplex {
  /** Whether node:http serves a request, or everything from now on. */
  isActive = false;
  readonly #socket: Socket;
  #isCutOff = false;
  #isReleased = false;
  readonly #exchanges: Exchanges;
  readonly #onReturn: () => void;
  /** The request's bytes so far, until its head is complete. */
  #head = NOTHING;
  /** How many bytes of the request are to come, as `requestLength` reports; only 0 returns. */
  #missing = Number.POSITIVE_INFINITY;
  #hasResponded = false;

  /** @param onReturn runs each time the next byte begins a request. */
  constructor(socket: Socket, { serveWithNode, exchanges }: NodeSideDeps, onReturn: () => void) {
    super();
    this.#socket = socket;
    this.#exchanges = exchanges;
    this.#onReturn = onReturn;
    // node:http removes its listener when it emits `clientError` or `connect`.
    this.on("error", () => undefined);
    exchanges.onIdle(this.asSocket(), () => {
      this.#hasResponded = true;
      this.#returnIfOver();
    });
    serveWithNode(this.asSocket());
  }

  /** Whether no request is in flight, as node:http sees it: half a request counts as none. */
  get isIdle(): boolean {
    return this.#exchanges.countOf(this.asSocket()) === 0 && !this.writableEnded;
  }

  /** Takes bytes of the client. A client that sends faster than node:http reads must wait. */
  give(bytes: Buffer): void {
    if (this.#isCutOff) return;
    this.isActive = true;
    if (this.#missing === Number.POSITIVE_INFINITY) {
      this.#head = Buffer.concat([this.#head, bytes]);
      this.#missing = requestLength(this.#head) - this.#head.length;
    } else this.#missing -= bytes.length;
    if (!this.push(bytes)) this.#socket.pause();
    this.#returnIfOver();
  }

  /** The client has ended its side. */
  giveEnd(): void {
    if (!this.#isCutOff) this.push(null);
  }

  /**
   * Discards what the client sends from now on; node:http writes the responses to earlier requests,
   * and no longer closes the connection behind them.
   */
  cutOff(): void {
    this.#isCutOff = true;
    // A paused socket would not notice that the client resets the connection.
    this.#socket.resume();
  }

  /** Also discards what node:http writes from now on: the socket's next response is the last. */
  release(): Socket {
    this.#isReleased = true;
    return this.#socket;
  }

  /** node:http serves any duplex stream; its types name sockets only. */
  asSocket(): Socket {
    return this as unknown as Socket;
  }

  #returnIfOver(): void {
    if (this.#missing !== 0 || !this.#hasResponded) return;
    // The response was the connection's last one: a further request would get none.
    if (this.writableEnded) return;
    this.isActive = false;
    this.#hasResponded = false;
    this.#head = NOTHING;
    this.#missing = Number.POSITIVE_INFINITY;
    this.#onReturn();
  }

  // What node:http, the framework and the log use of a socket.

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#socket.remotePort;
  }

  get localPort(): number | undefined {
    return this.#socket.localPort;
  }

  setTimeout(milliseconds: number): this {
    this.#socket.setTimeout(milliseconds);
    return this;
  }

  /** How node:http closes the connection behind its last response. */
  destroySoon(): void {
    if (!this.#isCutOff) this.end();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    if (this.#isReleased) done();
    else this.#socket.write(chunk, done);
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer }[],
    done: (error?: Error | null) => void,
  ) {
    if (this.#isReleased) return done();
    // Joining the chunks would copy bodies that responses share.
    this.#socket.cork();
    for (const { chunk } of chunks.slice(0, -1)) this.#socket.write(chunk);
    this.#socket.write(chunks.at(-1)?.chunk ?? NOTHING, done);
    this.#socket.uncork();
  }

  override _final(done: (error?: Error | null) => void): void {
    // A request that arrives now would get no response.
    this.#isCutOff = true;
    if (!this.#isReleased) endGently(this.#socket);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#isReleased) this.#socket.destroy();
    done(error);
  }
}
