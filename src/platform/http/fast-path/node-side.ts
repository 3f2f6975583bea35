import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { endGently } from "../server/end-gently.ts";
import type { Exchanges } from "../server/exchanges.ts";
import { NAME, requestLength } from "./grammar.ts";

const NOTHING = Buffer.alloc(0);

/**
 * node:http parses all that it gets at once: of 64 KiB, 1,680 requests without a credential, which
 * then are in memory together (3.5 GB for 500 connections). It gets this much at a time instead, at
 * most 19 requests, and no more while it has IN_FLIGHT_MAX.
 */
const SLICE_BYTES = 512;
const IN_FLIGHT_MAX = 16;

/** How much of what node:http got is kept, for the errors of its parser. */
const GIVEN_BYTES_MAX = 1024;

/** The end of a request line that node:http would take for HTTP/1.0. */
const endOfRtspLine = new RegExp(`(?<=(?:^|\\n)${NAME} [^\\0- \\x7f]+ RTSP/1\\.[01]\\r)\\n`);

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
  /** The last bytes that node:http got. */
  given = "";
  readonly #socket: Socket;
  #isCutOff = false;
  #isReleased = false;
  readonly #exchanges: Exchanges;
  /** The request's bytes so far, until its head is complete. */
  #head = NOTHING;
  /** How many bytes of the request are to come, as `requestLength` reports; only 0 returns. */
  #missing = Number.POSITIVE_INFINITY;
  #hasResponded = false;
  /** What node:http gets after the responses in flight. While there is any, the socket rests. */
  #waiting: Buffer = NOTHING;
  /** Whether node:http has read the bytes before. */
  #wantsBytes = true;
  #hasEnded = false;

  /** @param onResponse runs each time when a request has its response. */
  constructor(socket: Socket, { serveWithNode, exchanges }: NodeSideDeps, onResponse: () => void) {
    super({ readableHighWaterMark: SLICE_BYTES });
    this.#socket = socket;
    this.#exchanges = exchanges;
    // node:http removes its listener when it emits `clientError` or `connect`.
    this.on("error", () => undefined);
    const hasMore = () => this.hasWaiting;
    exchanges.follow(this.asSocket(), hasMore, () => {
      onResponse();
      if (this.#inFlight === 0) this.#hasResponded = true;
      this.#feed();
      this.#returnIfOver();
    });
    this.on("data", (bytes: Buffer) => {
      this.given = (this.given + bytes.toString("latin1")).slice(-GIVEN_BYTES_MAX);
      const end = this.given.includes(" RTSP/1.") ? this.given.search(endOfRtspLine) : -1;
      // With a zero byte the line is invalid.
      if (end !== -1) bytes[end + bytes.length - this.given.length] = 0;
    });
    serveWithNode(this.asSocket());
  }

  /** Whether no request is in flight, as node:http sees it: half a request counts as none. */
  get isIdle(): boolean {
    return this.#inFlight === 0 && !this.hasWaiting && !this.writableEnded;
  }

  /** Whether bytes of the client wait until node:http takes them. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  get #inFlight(): number {
    return this.#exchanges.countOf(this.asSocket());
  }

  /** Takes bytes of the client. A client that sends faster than node:http reads must wait. */
  give(bytes: Buffer): void {
    if (this.#isCutOff) return;
    this.isActive = true;
    if (this.#missing === Number.POSITIVE_INFINITY) {
      this.#head = Buffer.concat([this.#head, bytes]);
      this.#missing = requestLength(this.#head) - this.#head.length;
    } else this.#missing -= bytes.length;
    this.#waiting = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes]);
    this.#feed();
    this.#returnIfOver();
  }

  /** The client has ended its side. */
  giveEnd(): void {
    this.#hasEnded = true;
    this.#feed();
  }

  /** Gives node:http the next bytes, or the end, once it has read those before. */
  #feed(): void {
    if (this.#isCutOff || this.readableEnded) return;
    if (this.hasWaiting && this.#wantsBytes && this.#inFlight < IN_FLIGHT_MAX) {
      const slice = this.#waiting.subarray(0, SLICE_BYTES);
      this.#waiting = this.#waiting.subarray(slice.length);
      this.#wantsBytes = false;
      this.push(slice);
    }
    if (this.hasWaiting) this.#socket.pause();
    else if (this.#hasEnded) this.push(null);
    else if (this.#wantsBytes) {
      this.#socket.resume();
      this.#exchanges.closeIfStopped(this.asSocket());
    }
  }

  /**
   * Discards what the client sends from now on; node:http writes the responses to earlier requests,
   * and no longer closes the connection behind them.
   */
  cutOff(): void {
    this.#isCutOff = true;
    this.#waiting = NOTHING;
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
    this.#wantsBytes = true;
    this.#feed();
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
