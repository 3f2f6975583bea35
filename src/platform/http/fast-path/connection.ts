import { randomUUIDv7 } from "node:crypto";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "pino";
import type { PaceRejection } from "../../async/rejection-pacer.ts";
import { logFailure } from "../../log/log.ts";
import { toFailure } from "../../shared/failure.ts";
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
  /** Whether a new connection is accepted; a rejected one gets its response and is closed. */
  readonly acceptConnection: (socket: Socket) => boolean;
  /** Serves a connection from its start with node:http. */
  readonly serveWithNode: (socket: Socket) => void;
  readonly connections: Set<Connection>;
  readonly exchanges: Exchanges;
}

/**
 * Serves plain requests without node:http: metered reads and MCP calls in their plainest form, one
 * after the other. All sockets belong to the fast path; node:http serves other requests through a
 * stream, and the next plain request is served here again if it begins where that stream's request
 * ends. The responses of both are the same; the fast path takes less processor time
 * (docs/decisions/0009-plain-reads-bypass-node-http.md).
 */
export function installFastPath(
  server: Server,
  deps: Omit<FastPath, "server" | "serveWithNode" | "connections">,
): void {
  const [serve] = server.listeners("connection") as ((socket: Socket) => void)[];
  if (serve === undefined) throw new Error("this server does not serve connections");
  const connections = new Set<Connection>();
  const fastPath: FastPath = { ...deps, server, connections, serveWithNode: serve.bind(server) };
  server.removeListener("connection", serve);
  server.on("connection", (socket: Socket) => {
    if (fastPath.acceptConnection(socket)) new Connection(fastPath, socket);
  });
  closeWith(server, connections);
  const sweep = () => {
    const nowMs = performance.now();
    for (const connection of connections) connection.closeIfIdle(nowMs);
  };
  const sweeping = setInterval(sweep, SWEEP_INTERVAL_MS).unref();
  server.once("close", () => clearInterval(sweeping));
}

/**
 * Node's own closeIdleConnections() would close a connection whose response is written but not sent
 * yet, and cut off the responses behind it.
 */
function closeWith(server: Server, connections: ReadonlySet<Connection>): void {
  server.closeIdleConnections = () => {
    for (const { socket, isIdle } of connections) if (isIdle) socket.destroy();
  };
  server.closeAllConnections = () => {
    for (const { socket } of connections) socket.destroy();
  };
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
  /** When the last request began or node:http last responded: other bytes are no progress. */
  #activeMs = performance.now();
  /** The client has ended its side of the connection. */
  #hasEnded = false;
  /** Bytes that arrived before the last response was sent. */
  readonly #early: Buffer[] = [];

  constructor(fastPath: FastPath, socket: Socket) {
    this.#fastPath = fastPath;
    this.socket = socket;
    socket.on("end", () => this.#end());
    // A broken connection needs no response; "close" follows.
    socket.on("error", () => undefined);
    socket.on("close", () => this.#close());
    // node:http sets the time. A client that waits for a response is not the one that is silent.
    socket.on("timeout", () => {
      if (this.isIdle || socket.writableLength > 0) socket.destroy();
      else socket.setTimeout(socket.timeout ?? 0);
    });
    readIntoSharedBuffer(socket, (bytes) => this.#receive(bytes));
    fastPath.connections.add(this);
  }

  get isIdle(): boolean {
    return this.#nodeSide?.isActive === true ? this.#nodeSide.isIdle : !this.#isBusy;
  }

  /** @param bytes valid during this call only: the next read overwrites them. */
  #receive(bytes: Buffer): void {
    const { parse, admit, paceRejection, log } = this.#fastPath;
    if (this.#isBusy) {
      this.#early.push(Buffer.from(bytes));
      this.socket.pause();
      return;
    }
    const isNodes = this.#nodeSide?.isActive === true;
    const plain = isNodes ? undefined : parse(bytes);
    // Empty lines begin no request (RFC 9112, section 2.2).
    if (plain === undefined && !isNodes && bytes.every(isLineEnd)) return;
    if (!isNodes) this.#activeMs = performance.now();
    this.#hasBegun = true;
    if (plain === undefined) {
      this.#giveToNode(Buffer.from(bytes));
      return;
    }
    this.#isBusy = true;
    const { method, route, traceId, respond } = plain;
    const request: LoggedRequest = {
      id: randomUUIDv7(),
      method,
      route,
      arrivedMs: this.#activeMs,
      servedBy: "fast_path",
      traceId,
    };
    if (!admit(this.#activeMs)) {
      const { overloadFailure, failureHeaders } = plain;
      paceRejection(() => {
        const response = errorResponse(overloadFailure, request.id, failureHeaders);
        this.#respond(request, plain, response);
      });
      return;
    }
    const fail = (error: unknown) => {
      const failure = toFailure(error);
      logFailure(log, failure, request.id);
      this.#respond(request, plain, errorResponse(failure, request.id));
    };
    try {
      respond(request.id).then((response) => this.#respond(request, plain, response), fail);
    } catch (error) {
      fail(error);
    }
  }

  #respond(request: LoggedRequest, plain: PlainRequest, response: HttpResponse): void {
    const { status, code, caller } = response;
    const isCutOff = this.socket.destroyed;
    if (!isCutOff) this.#send(response, request.id, plain);
    this.#fastPath.logAccess(isCutOff ? { ...request, isCutOff } : request, status, code, caller);
  }

  #send(response: HttpResponse, requestId: string, plain: PlainRequest): void {
    const { exchanges, serialize } = this.#fastPath;
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
    if (this.#early.length > 0) {
      this.socket.resume();
      this.#giveToNode(Buffer.concat(this.#early.splice(0)));
    } else if (this.#hasEnded) this.socket.end();
  }

  #giveToNode(bytes: Buffer): void {
    this.#nodeSide ??= new NodeSide(this.socket, this.#fastPath, () => {
      this.#activeMs = performance.now();
    });
    this.#nodeSide.give(bytes);
  }

  #end(): void {
    this.#hasEnded = true;
    if (this.#nodeSide?.isActive === true) this.#nodeSide.giveEnd();
    else if (!this.#isBusy) this.socket.end();
  }

  #close(): void {
    this.#fastPath.connections.delete(this);
    this.#nodeSide?.destroy();
  }

  closeIfIdle(nowMs: number): void {
    const { headersTimeout, keepAliveTimeout, requestTimeout } = this.#fastPath.server;
    const keptMs = this.#hasBegun ? keepAliveTimeout + KEEP_ALIVE_BUFFER_MS : headersTimeout;
    const silentMs = nowMs - this.#activeMs;
    if (this.#nodeSide?.isActive === true) {
      // Its own timeouts apply, but empty lines postpone the one between requests.
      if (this.#nodeSide.isIdle && silentMs > keptMs + requestTimeout) this.socket.destroy();
    } else if (this.#isBusy) {
      if (this.socket.writableLength > 0 && silentMs > WRITE_TIMEOUT_MS) this.socket.destroy();
    } else if (silentMs > keptMs) this.socket.destroy();
  }
}
