import { randomUUIDv7 } from "node:crypto";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "pino";
import type { PaceRejection } from "../../async/rejection-pacer.ts";
import { logFailure } from "../../log/log.ts";
import { serviceOverloaded, toFailure } from "../../shared/failure.ts";
import type { LogAccess, LoggedRequest } from "../access-log.ts";
import type { AdmitRequest } from "../overload/loop-budget.ts";
import { errorResponse, type HttpResponse } from "../response/response.ts";
import type { SerializeResponse } from "../response/serialize.ts";
import type { Exchanges } from "../server/exchanges.ts";
import { NodeSide } from "./node-side.ts";
import type { ParsePlainRequest, PlainRequest } from "./plain-request.ts";
import { readIntoSharedBuffer } from "./socket-reader.ts";

/** Added to the advertised Keep-Alive time, as node:http does: a request may be on its way. */
const KEEP_ALIVE_BUFFER_MS = 1000;

/** How often idle connections are closed: one timer per connection would cost 0.3 µs a read. */
const SWEEP_INTERVAL_MS = 1000;

/** A client that has read nothing of a response for this long never will. */
const WRITE_TIMEOUT_MS = 30_000;

const isLineEnd = (byte: number) => byte === 0x0d || byte === 0x0a;

interface FastPath {
  readonly server: Server;
  readonly parse: ParsePlainRequest;
  readonly logAccess: LogAccess;
  readonly serialize: SerializeResponse;
  readonly log: Logger;
  readonly admit: AdmitRequest;
  readonly paceRejection: PaceRejection;
  readonly exchanges: Exchanges;
  /** Serves a connection from its start with node:http. */
  readonly serveWithNode: (socket: Socket) => void;
}

/**
 * Serves plain requests without node:http, one after the other, with the same responses in less
 * processor time (docs/decisions/0009-plain-reads-bypass-node-http.md). All sockets belong to the
 * fast path; node:http serves other requests through a stream, and the next plain request is served
 * here again if it begins where that stream's request ends.
 *
 * @param acceptConnection returns whether a connection is served; if not, it is being closed.
 */
export function installFastPath(
  server: Server,
  acceptConnection: (socket: Socket) => boolean,
  deps: Omit<FastPath, "server" | "serveWithNode">,
): void {
  const [serve] = server.listeners("connection") as ((socket: Socket) => void)[];
  if (serve === undefined) throw new Error("this server does not serve connections");
  const fastPath: FastPath = { ...deps, server, serveWithNode: serve.bind(server) };
  const connections = new Set<Connection>();
  server.removeListener("connection", serve);
  server.on("connection", (socket: Socket) => {
    if (!acceptConnection(socket)) return;
    const connection = new Connection(fastPath, socket);
    connections.add(connection);
    socket.on("close", () => connections.delete(connection));
  });
  // Node's own would close a connection whose response is written but not sent yet, and cut off the
  // responses behind it.
  server.closeIdleConnections = () => {
    for (const { socket, isIdle } of connections) if (isIdle) socket.destroy();
  };
  server.closeAllConnections = () => {
    for (const { socket } of connections) socket.destroy();
  };
  const sweep = () => {
    const nowMs = performance.now();
    for (const connection of connections) connection.closeIfIdle(nowMs);
  };
  // A start that fails before it listens closes nothing.
  const sweeping = setInterval(sweep, SWEEP_INTERVAL_MS).unref();
  server.once("close", () => clearInterval(sweeping));
}

/** A connection whose socket the fast path reads. */
class Connection {
  readonly socket: Socket;
  readonly #fastPath: FastPath;
  /** Whether the fast path serves a request. */
  #isBusy = false;
  /** Undefined before the first request that node:http serves. */
  #nodeSide: NodeSide | undefined;
  #hasBegun = false;
  /** When the last request began: other bytes are no progress. */
  #beganMs = performance.now();
  /** The client has ended its side of the connection. */
  #hasEnded = false;
  /** Bytes that arrived before the last response was sent. */
  readonly #early: Buffer[] = [];

  constructor(fastPath: FastPath, socket: Socket) {
    this.#fastPath = fastPath;
    this.socket = socket;
    socket.on("end", () => {
      this.#hasEnded = true;
      if (this.#activeSide !== undefined) this.#activeSide.giveEnd();
      else if (!this.#isBusy) socket.end();
    });
    // A broken connection needs no response; "close" follows.
    socket.on("error", () => undefined);
    socket.on("close", () => this.#nodeSide?.destroy());
    // node:http sets the time. A client that waits for a response is not the one that is silent.
    socket.on("timeout", () => {
      if (this.isIdle || socket.writableLength > 0) socket.destroy();
      else socket.setTimeout(socket.timeout ?? 0);
    });
    readIntoSharedBuffer(socket, (bytes) => this.#receive(bytes));
  }

  /** Undefined when the next bytes may begin a plain request. */
  get #activeSide(): NodeSide | undefined {
    return this.#nodeSide?.isActive === true ? this.#nodeSide : undefined;
  }

  get isIdle(): boolean {
    return this.#activeSide?.isIdle ?? !this.#isBusy;
  }

  /** @param bytes valid during this call only: the next read overwrites them. */
  #receive(bytes: Buffer): void {
    if (this.#isBusy) {
      this.#early.push(Buffer.from(bytes));
      this.socket.pause();
      return;
    }
    if (this.#activeSide !== undefined) {
      this.#activeSide.give(Buffer.from(bytes));
      return;
    }
    const plain = this.#fastPath.parse(bytes);
    // Empty lines begin no request (RFC 9112, section 2.2).
    if (plain === undefined && bytes.every(isLineEnd)) return;
    this.#beganMs = performance.now();
    this.#hasBegun = true;
    if (plain === undefined) this.#giveToNode(Buffer.from(bytes));
    else this.#serve(plain).catch((error) => this.#breakOff(error));
  }

  #breakOff(err: unknown): void {
    this.#fastPath.log.error({ err }, "the fast path could not send a response");
    this.socket.destroy();
  }

  async #serve(plain: PlainRequest): Promise<void> {
    this.#isBusy = true;
    const { admit, paceRejection, log, logAccess } = this.#fastPath;
    const { form, method, traceId } = plain;
    const { url: route = "", config } = form.route;
    const id = randomUUIDv7();
    const request: LoggedRequest = {
      id,
      method,
      route,
      arrivedMs: this.#beganMs,
      servedBy: "fast_path",
      traceId,
    };
    let response: HttpResponse;
    try {
      if (admit(this.#beganMs)) response = await form.respond(plain, id);
      else {
        await new Promise<void>(paceRejection);
        const { overloadFailure = serviceOverloaded, failureHeaders } = config;
        response = errorResponse(overloadFailure, id, failureHeaders);
      }
    } catch (error) {
      const failure = toFailure(error);
      logFailure(log, failure, id);
      response = errorResponse(failure, id);
    }
    const { status, code, caller } = response;
    const isCutOff = this.socket.destroyed;
    if (!isCutOff) this.#send(response, id, plain);
    logAccess(isCutOff ? { ...request, isCutOff } : request, status, code, caller);
  }

  #send(response: HttpResponse, requestId: string, plain: PlainRequest): void {
    const { exchanges, serialize } = this.#fastPath;
    const closedBy = exchanges.closerOf(this.#hasEnded, plain.isLast);
    const text = serialize(response, requestId, closedBy, plain);
    // ASCII text written as latin1 needs no conversion.
    const encoding = Buffer.byteLength(text) === text.length ? "latin1" : "utf8";
    const hasRoom = this.socket.write(text, encoding);
    // As node:http does: a client that keeps its own side open would delay the shutdown.
    if (closedBy !== undefined) this.socket.destroySoon();
    else if (hasRoom) this.#continue();
    // A client that does not read its responses gets no further ones.
    else this.socket.once("drain", () => this.#continue());
  }

  #continue(): void {
    this.#isBusy = false;
    if (this.#early.length > 0) {
      this.socket.resume();
      this.#giveToNode(Buffer.concat(this.#early.splice(0)));
    } else if (this.#hasEnded) this.socket.end();
  }

  #giveToNode(bytes: Buffer): void {
    const { serveWithNode, exchanges } = this.#fastPath;
    this.#nodeSide ??= new NodeSide(this.socket, serveWithNode, exchanges);
    this.#nodeSide.give(bytes);
  }

  closeIfIdle(nowMs: number): void {
    const { headersTimeout, keepAliveTimeout, requestTimeout } = this.#fastPath.server;
    const keptMs = this.#hasBegun ? keepAliveTimeout + KEEP_ALIVE_BUFFER_MS : headersTimeout;
    const isUnread = this.#isBusy && this.socket.writableLength > 0;
    // Node's own timeouts apply, but empty lines postpone the one between requests.
    const idleMs = this.#activeSide === undefined ? keptMs : keptMs + requestTimeout;
    const silentMs = nowMs - Math.max(this.#beganMs, this.#nodeSide?.respondedMs ?? 0);
    const isOver = silentMs > (isUnread ? WRITE_TIMEOUT_MS : idleMs);
    if (isOver && (isUnread || this.isIdle)) this.socket.destroy();
  }
}
