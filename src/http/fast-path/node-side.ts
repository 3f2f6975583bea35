import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/**
 * A connection as node:http sees it while the fast path keeps the socket: bytes that the fast path
 * does not serve are pushed into it, and what node:http writes goes to the socket
 * (nodejs.org/api/http.html, event `connection`: any duplex stream is a connection).
 */
export class NodeSide extends Duplex {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on("timeout", () => this.emit("timeout"));
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

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  /** Takes bytes of the client. A client that sends faster than node:http reads must wait. */
  give(bytes: Buffer): void {
    if (!this.push(bytes)) this.#socket.pause();
  }

  /** The client has ended its side. */
  giveEnd(): void {
    this.push(null);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    this.#socket.write(chunk, done);
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer }[],
    done: (error?: Error | null) => void,
  ) {
    this.#socket.cork();
    for (const { chunk } of chunks.slice(0, -1)) this.#socket.write(chunk);
    this.#socket.write(chunks.at(-1)?.chunk ?? "", done);
    this.#socket.uncork();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
