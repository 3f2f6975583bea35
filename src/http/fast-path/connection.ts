import { randomUUIDv7 } from "node:crypto";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { PaceRejection } from "../../async/rejection-pacer.ts";
import type { LogAccess, LoggedRequest } from "../access-log.ts";
import type { Exchanges } from "../exchanges.ts";
import type { AdmitRequest } from "../overload/loop-budget.ts";
import { errorResponse, type HttpResponse } from "../response/response.ts";
import type { SerializeResponse } from "../response/serialize.ts";
import { isForwarded, requestLength } from "./grammar.ts";
import { NodeSide } from "./node-side.ts";
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
  /** Whether a request is in flight; bytes that arrive meanwhile wait. */
  isBusy = false;
  /** Whether the fast path has served a request of it. */
  #hasServed = false;
  /** What node:http sees of it, once it has served one of its requests. */
  #node: NodeSide | undefined;
  /** How many bytes of the body are still to come of the request that node:http serves. */
  #awaitedBytes = 0;
  /** Whether node:http has responded to that request. */
  #hasResponded = false;
  /** Whether node:http serves everything from now on. */
  #belongsToNode = false;
  readonly #fastPath: FastPath;
  readonly #listeners: readonly (readonly [event: string, listener: (error: Error) => void])[];
  readonly #stopReceiving: () => void;
  #hasBegun = false;
  /** Arrival of the last bytes on the monotonic clock. */
  #receivedMs = performance.now();
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
      ["error", (error) => this.#node?.destroy(error)],
      [
        "close",
        () => {
          fastPath.connections.delete(this);
          this.#node?.destroy();
        },
      ],
    ];
    for (const [event, listener] of this.#listeners) socket.on(event, listener);
    this.#stopReceiving = readIntoSharedBuffer(socket, (bytes) => this.#receive(bytes));
    fastPath.connections.add(this);
  }

  get isIdle(): boolean {
    const { exchanges } = this.#fastPath;
    if (!this.#belongsToNode || this.#node === undefined) return !this.isBusy;
    return exchanges.countOf(asSocket(this.#node)) === 0 && !this.#node.writableEnded;
  }

  /** @param bytes valid during this call only: the next read overwrites them. */
  #receive(bytes: Buffer): void {
    const { parse, admit, paceRejection } = this.#fastPath;
    this.#hasBegun = true;
    this.#receivedMs = performance.now();
    if (this.#belongsToNode) {
      this.#node?.give(Buffer.from(bytes));
      return;
    }
    if (this.isBusy) {
      this.#receiveEarly(Buffer.from(bytes));
      return;
    }
    const plain = parse(bytes);
    if (plain === undefined) {
      this.#passOn(Buffer.from(bytes));
      return;
    }
    this.isBusy = true;
    this.#hasServed = true;
    const { method, route, respond, overloadFailure } = plain;
    const request: LoggedRequest = {
      id: randomUUIDv7(),
      method,
      route,
      arrivedMs: this.#receivedMs,
      servedBy: "fast_path",
    };
    if (!admit(this.#receivedMs)) {
      paceRejection(() =>
        this.#respond(request, plain, errorResponse(overloadFailure, request.id, "ApiKey")),
      );
      return;
    }
    void respond(request.id).then((response) => this.#respond(request, plain, response));
  }

  /** Takes the rest of the body of the request that node:http serves, and keeps what follows. */
  #receiveEarly(bytes: Buffer): void {
    const body = bytes.subarray(0, this.#awaitedBytes);
    if (body.length > 0) this.#node?.give(body);
    this.#awaitedBytes -= body.length;
    if (bytes.length > body.length) {
      this.#early.push(bytes.subarray(body.length));
      this.socket.pause();
    }
    if (body.length > 0) this.#endVisit();
  }

  /** The next request begins once node:http has responded and the last one's body has arrived. */
  #endVisit(): void {
    const { exchanges } = this.#fastPath;
    if (this.#node === undefined || this.socket.destroyed || this.#awaitedBytes > 0) return;
    if (this.isBusy && this.#hasResponded && exchanges.countOf(asSocket(this.#node)) === 0) {
      this.#continue();
    }
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
    this.isBusy = false;
    if (this.#early.length > 0) this.#handOff(Buffer.concat(this.#early));
    else if (this.#hasEnded) this.socket.end();
  }

  #end(): void {
    this.#hasEnded = true;
    if (this.#node !== undefined && (this.isBusy || this.#belongsToNode)) this.#node.giveEnd();
    else if (!this.isBusy) this.socket.end();
  }

  /**
   * Passes on bytes that are no plain request. Its stream costs node:http some 10 µs a request, so
   * clients that send no plain requests are handed off for good.
   */
  #passOn(bytes: Buffer): void {
    const { handOffToNode, exchanges } = this.#fastPath;
    const returns = this.#hasServed || isForwarded(bytes);
    const length = returns ? requestLength(bytes) : undefined;
    if (length === undefined) {
      this.#handOff(bytes);
      return;
    }
    this.isBusy = true;
    this.#hasResponded = false;
    this.#awaitedBytes = length - bytes.length;
    if (this.#node === undefined) {
      this.#node = new NodeSide(this.socket);
      exchanges.onIdle(asSocket(this.#node), () => {
        this.#hasResponded = true;
        this.#endVisit();
      });
      handOffToNode(asSocket(this.#node));
    }
    this.#node.give(bytes);
  }

  /** node:http responds to a client that never sent a request; others expect no response. */
  closeIfIdle(nowMs: number): void {
    const { headersTimeout, keepAliveTimeout } = this.#fastPath.server;
    const silentMs = nowMs - this.#receivedMs;
    if (this.#belongsToNode) return;
    if (this.isBusy) {
      if (this.socket.writableNeedDrain && silentMs > WRITE_TIMEOUT_MS) this.socket.destroy();
    } else if (this.#hasBegun) {
      if (silentMs > keepAliveTimeout + KEEP_ALIVE_BUFFER_MS) this.socket.destroy();
    } else if (silentMs > headersTimeout) this.#handOff(Buffer.alloc(0));
  }

  /** node:http serves the connection from now on, as if these bytes were its first. */
  #handOff(bytes: Buffer): void {
    const { connections, servedByNode, handOffToNode } = this.#fastPath;
    if (this.#node !== undefined) {
      this.#belongsToNode = true;
      this.isBusy = false;
      this.#node.give(bytes);
      if (this.#hasEnded) this.#node.giveEnd();
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

/** node:http serves any duplex stream; its types name sockets only. */
function asSocket(stream: NodeSide): Socket {
  return stream as unknown as Socket;
}
