import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { endGently } from "../server/end-gently.ts";
import type { Exchanges } from "../server/exchanges.ts";
import { HEADER_BYTES_MAX } from "../server/server.ts";
import { NAME } from "./grammar.ts";

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

const END_OF_HEAD = Buffer.from("\r\n\r\n");

/**
 * A connection as node:http sees it: any duplex stream (nodejs.org/api/http.html, `connection`).
 * The fast path gives it what it does not serve; what node:http writes goes to the socket.
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
  /** When the last request got its response. */
  respondedMs = 0;
  readonly #socket: Socket;
  readonly #exchanges: Exchanges;
  #isCutOff = false;
  #isReleased = false;
  /** The first of the bytes since it became active: a longer head is none. */
  #head = NOTHING;
  #arrivedBytes = 0;
  /** The last request, if all have their responses. */
  #served: IncomingMessage | undefined;
  /** What node:http gets after the responses in flight. While there is any, the socket rests. */
  #waiting: Buffer = NOTHING;
  /** Whether node:http has read the bytes before. */
  #wantsBytes = true;
  #hasEnded = false;

  /** @param serve serves a connection from its start with node:http. */
  constructor(socket: Socket, serve: (socket: Socket) => void, exchanges: Exchanges) {
    super({ readableHighWaterMark: SLICE_BYTES });
    this.#socket = socket;
    this.#exchanges = exchanges;
    // node:http removes its listener when it emits `clientError` or `connect`.
    this.on("error", () => undefined);
    this.on("data", (bytes: Buffer) => {
      this.given = (this.given + bytes.toString("latin1")).slice(-GIVEN_BYTES_MAX);
      const end = this.given.includes(" RTSP/1.") ? this.given.search(endOfRtspLine) : -1;
      // With a zero byte the line is invalid.
      if (end !== -1) bytes[end + bytes.length - this.given.length] = 0;
    });
    // Its type names sockets only.
    serve(this as unknown as Socket);
  }

  /** Whether no request is in flight, as node:http sees it: half a request counts as none. */
  get isIdle(): boolean {
    return this.#exchanges.countOf(this) === 0 && !this.hasWaiting && !this.writableEnded;
  }

  /** Whether bytes of the client wait until node:http takes them. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Takes bytes of the client. A client that sends faster than node:http reads must wait. */
  give(bytes: Buffer): void {
    if (this.#isCutOff) return;
    this.isActive = true;
    this.#arrivedBytes += bytes.length;
    if (this.#head.length < HEADER_BYTES_MAX) this.#head = Buffer.concat([this.#head, bytes]);
    this.#waiting = this.hasWaiting ? Buffer.concat([this.#waiting, bytes]) : bytes;
    this.#feed();
    this.#returnIfOver();
  }

  onResponse(request: IncomingMessage): void {
    this.respondedMs = performance.now();
    if (this.#exchanges.countOf(this) === 0) this.#served = request;
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
    if (this.hasWaiting && this.#wantsBytes && this.#exchanges.countOf(this) < IN_FLIGHT_MAX) {
      const slice = this.#waiting.subarray(0, SLICE_BYTES);
      this.#waiting = this.#waiting.subarray(slice.length);
      this.#wantsBytes = false;
      this.push(slice);
    }
    if (this.hasWaiting) this.#socket.pause();
    else if (this.#hasEnded) this.push(null);
    else if (this.#wantsBytes) {
      this.#socket.resume();
      this.#exchanges.closeIfStopped(this);
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

  /** Returns after one request, whose end is where node:http found it, unless it was the last. */
  #returnIfOver(): void {
    if (this.#served === undefined || this.writableEnded) return;
    const { "content-length": length = 0, "transfer-encoding": coding } = this.#served.headers;
    const bodyStart = this.#head.indexOf(END_OF_HEAD) + END_OF_HEAD.length;
    if (coding !== undefined || this.#arrivedBytes !== bodyStart + Number(length)) return;
    this.isActive = false;
    this.#head = NOTHING;
    this.#arrivedBytes = 0;
    this.#served = undefined;
  }

  // What node:http, the framework and the log use of a socket.

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
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
