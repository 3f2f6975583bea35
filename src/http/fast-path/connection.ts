import { randomUUIDv7 } from "node:crypto";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { PaceRejection } from "../../async/rejection-pacer.ts";
import type { LogAccess, LoggedRequest } from "../access-log.ts";
import type { Exchanges } from "../exchanges.ts";
import type { AdmitRequest } from "../overload/loop-budget.ts";
import { errorResponse, type HttpResponse } from "../response/response.ts";
import type { SerializeResponse } from "../response/serialize.ts";
import { isFromProxy, requestLength } from "./grammar.ts";
import { NodeVisits } from "./node-visits.ts";
import type { ParsePlainRequest, PlainRequest } from "./plain-request.ts";
import { readIntoSharedBuffer } from "./socket-reader.ts";

/** Added to the advertised Keep-Alive time, as node:http does: a request may be on its way. */
const KEEP_ALIVE_BUFFER_MS = 1000;

/** How often idle connections are closed: one timer per connection would cost 0.3 µs a read. */
const SWEEP_INTERVAL_MS = 1000;

/** A client that has read nothing of a response for this long never will. */
const WRITE_TIMEOUT_MS = 30_000;

interface FastPath {
  readonly server: Server;
  readonly parse: ParsePlainRequest;
  readonly logAccess: LogAccess;
  readonly serialize: SerializeResponse;
  readonly admit: AdmitRequest;
  readonly paceRejection: PaceRejection;
  /** Whether a new connection is accepted; a rejected one gets its response and is closed. */
  readonly acceptConnection: (socket: Socket) => boolean;
  /** Serves a connection from its start with node:http. */
  readonly handOffToNode: (socket: Socket) => void;
  readonly connections: Set<Connection>;
  /** The sockets that node:http serves. */
  readonly servedByNode: Set<Socket>;
  readonly exchanges: Exchanges;
}

/**
 * Serves plain requests without node:http. Every connection starts here and stays while it sends
 * metered reads and MCP calls in their plainest form, one after the other. Other requests go to
 * node:http: from a client that sends both kinds, one at a time, so that its next plain request is
 * served here; otherwise node:http takes over the connection for good. The responses of both paths
 * are the same; this one takes less processor time
 * (docs/decisions/0009-plain-reads-bypass-node-http.md).
 */
export function installFastPath(
  server: Server,
  deps: Omit<FastPath, "server" | "handOffToNode" | "connections" | "servedByNode">,
): void {
  const [serve] = server.listeners("connection") as ((socket: Socket) => void)[];
  if (serve === undefined) throw new Error("this server does not serve connections");
  const connections = new Set<Connection>();
  const servedByNode = new Set<Socket>();
  const handOffToNode = serve.bind(server);
  const fastPath: FastPath = { ...deps, server, connections, servedByNode, handOffToNode };
  server.removeListener("connection", serve);
  server.on("connection", (socket: Socket) => {
    if (fastPath.acceptConnection(socket)) new Connection(fastPath, socket);
  });
  closeWith(server, fastPath);
  const sweep = () => {
    const nowMs = performance.now();
    for (const connection of connections) connection.closeIfIdle(nowMs);
  };
  const sweeping = setInterval(sweep, SWEEP_INTERVAL_MS).unref();
  server.once("close", () => clearInterval(sweeping));
}

/**
 * closeIdleConnections() and closeAllConnections() also close fast-path connections. Node's own
 * search for idle ones would close a connection whose response is written but not sent yet, and cut
 * off the responses behind it.
 */
function closeWith(server: Server, { connections, servedByNode, exchanges }: FastPath): void {
  const closeAll = server.closeAllConnections.bind(server);
  server.closeIdleConnections = () => {
    for (const socket of servedByNode) {
      if (exchanges.countOf(socket) === 0 && !socket.writableEnded) socket.destroy();
    }
    for (const { socket, isIdle } of connections) if (isIdle) socket.destroy();
  };
  server.closeAllConnections = () => {
    closeAll();
    for (const { socket } of connections) socket.destroy();
  };
}

/** A connection whose socket the fast path reads. */
class Connection {
  readonly socket: Socket;
  readonly #fastPath: FastPath;
  /** Whether a request is in flight. */
  #isBusy = false;
  /** Whether the fast path has served a request of it. */
  #hasServed = false;
  /** The requests that node:http serves meanwhile; undefined before the first of them. */
  #visits: NodeVisits | undefined;
  readonly #listeners: readonly (readonly [event: string, listener: (error: Error) => void])[];
  readonly #stopReceiving: () => void;
  #hasBegun = false;
  /** When the last bytes arrived, or the last visit ended, on the monotonic clock. */
  #activeMs = performance.now();
  /** The client has ended its side of the connection. */
  #hasEnded = false;
  /** Bytes that arrived before the last response was sent. */
  readonly #early: Buffer[] = [];

  constructor(fastPath: FastPath, socket: Socket) {
    this.#fastPath = fastPath;
    this.socket = socket;
    this.#listeners = [
      ["end", () => this.#end()],
      // A broken connection needs no response; "close" follows.
      ["error", (error) => this.#visits?.destroy(error)],
      ["close", () => this.#close()],
    ];
    for (const [event, listener] of this.#listeners) socket.on(event, listener);
    this.#stopReceiving = readIntoSharedBuffer(socket, (bytes) => this.#receive(bytes));
    fastPath.connections.add(this);
  }

  get isIdle(): boolean {
    return this.#visits?.isActive === true ? this.#visits.isIdle : !this.#isBusy;
  }

  /** @param bytes valid during this call only: the next read overwrites them. */
  #receive(bytes: Buffer): void {
    const { parse, admit, paceRejection } = this.#fastPath;
    this.#hasBegun = true;
    this.#activeMs = performance.now();
    if (this.#isBusy) {
      this.#receiveEarly(Buffer.from(bytes));
      return;
    }
    const plain = parse(bytes);
    if (plain === undefined) {
      this.#passOn(Buffer.from(bytes));
      return;
    }
    this.#isBusy = true;
    this.#hasServed = true;
    const { method, route, respond, overloadFailure } = plain;
    const request: LoggedRequest = {
      id: randomUUIDv7(),
      method,
      route,
      arrivedMs: this.#activeMs,
      servedBy: "fast_path",
    };
    if (!admit(this.#activeMs)) {
      paceRejection(() =>
        this.#respond(request, plain, errorResponse(overloadFailure, request.id, "ApiKey")),
      );
      return;
    }
    void respond(request.id).then((response) => this.#respond(request, plain, response));
  }

  /** Bytes that arrive during a request belong to it only if node:http serves it. */
  #receiveEarly(bytes: Buffer): void {
    if (this.#visits?.isActive === true) {
      this.#visits.give(bytes);
      return;
    }
    this.#early.push(bytes);
    this.socket.pause();
  }

  #respond(request: LoggedRequest, plain: PlainRequest, response: HttpResponse): void {
    this.#send(response, request.id, plain);
    this.#fastPath.logAccess(request, response.status, response.code);
  }

  #send(response: HttpResponse, requestId: string, plain: PlainRequest): void {
    const { exchanges, serialize } = this.#fastPath;
    if (this.socket.destroyed) return;
    const isLastOfServer = this.#hasEnded || exchanges.isStopping();
    const closedBy = isLastOfServer ? "server" : plain.isLast ? "client" : undefined;
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
    if (this.#early.length > 0) this.#handOff(Buffer.concat(this.#early.splice(0)));
    else if (this.#hasEnded) this.socket.end();
  }

  #end(): void {
    this.#hasEnded = true;
    if (this.#visits?.isActive === true) this.#visits.giveEnd();
    else if (!this.#isBusy) this.socket.end();
  }

  #close(): void {
    this.#fastPath.connections.delete(this);
    this.#visits?.destroy();
  }

  /**
   * Passes on bytes that are no plain request. Its stream costs node:http some 10 µs a request, so
   * clients that send no plain requests are handed off for good.
   */
  #passOn(bytes: Buffer): void {
    const returns = this.#visits !== undefined || this.#hasServed || isFromProxy(bytes);
    const length = returns ? requestLength(bytes) : undefined;
    if (length === undefined || length < bytes.length) {
      this.#handOff(bytes);
      return;
    }
    this.#isBusy = true;
    this.#visits ??= new NodeVisits(this.socket, this.#fastPath, () => {
      this.#activeMs = performance.now();
      this.#isBusy = false;
    });
    this.#visits.begin(bytes, length);
  }

  /** node:http responds to a client that never sent a request; others expect no response. */
  closeIfIdle(nowMs: number): void {
    const { headersTimeout, keepAliveTimeout } = this.#fastPath.server;
    const silentMs = nowMs - this.#activeMs;
    // During a visit, node:http's own timeouts apply: a long response may take its time.
    if (this.#visits?.isActive === true) return;
    if (this.#isBusy) {
      if (this.socket.writableNeedDrain && silentMs > WRITE_TIMEOUT_MS) this.socket.destroy();
    } else if (this.#hasBegun) {
      if (silentMs > keepAliveTimeout + KEEP_ALIVE_BUFFER_MS) this.socket.destroy();
    } else if (silentMs > headersTimeout) this.#handOff(Buffer.alloc(0));
  }

  /** node:http serves the connection from now on, as if these bytes were its first. */
  #handOff(bytes: Buffer): void {
    const { connections, servedByNode, handOffToNode } = this.#fastPath;
    if (this.#visits !== undefined) {
      this.#isBusy = true;
      this.#visits.begin(bytes, undefined);
      if (this.#hasEnded) this.#visits.giveEnd();
      return;
    }
    connections.delete(this);
    servedByNode.add(this.socket);
    this.socket.once("close", () => servedByNode.delete(this.socket));
    for (const [event, listener] of this.#listeners) this.socket.off(event, listener);
    this.#stopReceiving();
    handOffToNode(this.socket);
    this.socket.resume();
    if (bytes.length > 0) this.socket.emit("data", bytes);
    // The client's end may have come with the last bytes, while a request was in flight.
    if (this.#hasEnded) this.socket.emit("end");
  }
}
