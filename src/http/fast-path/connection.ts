import { randomUUIDv7 } from "node:crypto";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { PaceRejection } from "../../async/rejection-pacer.ts";
import type { Failure } from "../../shared/failure.ts";
import type { LogAccess, LoggedRequest } from "../access-log.ts";
import type { Exchanges } from "../exchanges.ts";
import type { AdmitRequest } from "../overload/loop-budget.ts";
import { errorResponse } from "../response/error-handler.ts";
import type { HttpResponse, SerializeResponse } from "../response/serialize.ts";
import { receive } from "./socket-reader.ts";

/** Beyond what Keep-Alive promises, as node:http does: a request may be on its way. */
const KEEP_ALIVE_BUFFER_MS = 1000;

/** How often idle connections are looked for: a timer for each would cost 0.3 µs a read. */
const SWEEP_INTERVAL_MS = 1000;

/** Who has taken nothing of an answer for so long never will. */
const WRITE_TIMEOUT_MS = 30_000;

interface FastPath {
  readonly server: Server;
  readonly recognise: ParsePlainRequest;
  readonly logAnswer: LogAccess;
  readonly format: SerializeResponse;
  readonly takeIn: AdmitRequest;
  readonly refuseLater: PaceRejection;
  /** Whether a new connection may stay; who may not is answered for. */
  readonly mayStay: (socket: Socket) => boolean;
  /** Whether connections end with their next answer. */
  readonly isShuttingDown: () => boolean;
  /** Serves a connection from its beginning, as the server does by itself. */
  readonly serveByNode: (socket: Socket) => void;
  readonly connections: Set<Connection>;
  /** The sockets that node:http has. */
  readonly servedByNode: Set<Socket>;
  readonly exchanges: Exchanges;
}

/**
 * Lets plain requests pass node:http by: each connection begins here, and stays as long as all that
 * it sends are metered reads in their plainest form, one after the other. The first bytes that are
 * anything else go to node:http with the connection, for good. The answer is the same either way;
 * here it takes less of the processor (docs/decisions/0009-plain-reads-pass-node-http-by.md).
 */
export function installFastPath(
  server: Server,
  uses: Omit<FastPath, "server" | "serveByNode" | "connections" | "servedByNode">,
): void {
  const [serve] = server.listeners("connection") as ((socket: Socket) => void)[];
  if (serve === undefined) throw new Error("this server does not serve connections");
  const connections = new Set<Connection>();
  const servedByNode = new Set<Socket>();
  const serveByNode = serve.bind(server);
  const lane: FastPath = { ...uses, server, connections, servedByNode, serveByNode };
  server.removeListener("connection", serve);
  server.on("connection", (socket: Socket) => {
    if (lane.mayStay(socket)) new Connection(lane, socket);
  });
  closeWith(server, lane);
  const sweep = () => {
    const nowMs = performance.now();
    for (const connection of connections) connection.closeIfIdle(nowMs);
  };
  const sweeping = setInterval(sweep, SWEEP_INTERVAL_MS).unref();
  server.once("close", () => clearInterval(sweeping));
}

/**
 * Makes the server close the connections of both ways. Node's own search for idle ones would take a
 * connection whose response is composed but not sent yet, and cut off the responses behind it.
 */
function closeWith(server: Server, { connections, servedByNode, exchanges }: FastPath): void {
  const closeAll = server.closeAllConnections.bind(server);
  server.closeIdleConnections = () => {
    for (const socket of servedByNode) {
      if (exchanges.countOf(socket) === 0 && !socket.writableEnded) socket.destroy();
    }
    for (const { socket, isBusy } of connections) if (!isBusy) socket.destroy();
  };
  server.closeAllConnections = () => {
    closeAll();
    for (const { socket } of connections) socket.destroy();
  };
}

/** A connection that has sent nothing but plain requests so far. */
class Connection {
  readonly socket: Socket;
  /** Whether a request is under way. */
  isBusy = false;
  readonly #lane: FastPath;
  readonly #listeners: readonly (readonly [event: string, listener: () => void])[];
  readonly #stopReceiving: () => void;
  #hasBegun = false;
  /** When the last bytes came, on the monotonic clock. */
  #heardMs = performance.now();
  /** The client will send no more. */
  #hasEnded = false;
  /** What came before the last answer had left. */
  readonly #early: Buffer[] = [];

  constructor(lane: FastPath, socket: Socket) {
    this.#lane = lane;
    this.socket = socket;
    this.#listeners = [
      ["end", () => this.#end()],
      // A connection that broke has nobody to answer; "close" follows.
      ["error", () => undefined],
      ["close", () => lane.connections.delete(this)],
    ];
    for (const [event, listener] of this.#listeners) socket.on(event, listener);
    this.#stopReceiving = receive(socket, (bytes) => this.#receive(bytes));
    lane.connections.add(this);
  }

  /** @param bytes are only lent: the next connection's stand in their place. */
  #receive(bytes: Buffer): void {
    const { recognise, takeIn, refuseLater } = this.#lane;
    this.#hasBegun = true;
    this.#heardMs = performance.now();
    if (this.isBusy) {
      this.#early.push(Buffer.from(bytes));
      this.socket.pause();
      return;
    }
    const plain = recognise(bytes);
    if (plain === undefined) {
      this.#handOver(Buffer.from(bytes));
      return;
    }
    this.isBusy = true;
    const { method, route, answer, busy } = plain;
    const request = { id: randomUUIDv7(), method, route, arrivedMs: this.#heardMs };
    if (!takeIn(this.#heardMs)) {
      refuseLater(() => this.#answer(request, errorResponse(busy, request.id, "ApiKey")));
      return;
    }
    void answer(request.id).then((whole) => this.#answer(request, whole));
  }

  #answer(request: LoggedRequest, whole: HttpResponse): void {
    this.#send(whole, request.id);
    this.#lane.logAnswer(request, whole.status, whole.code);
  }

  #send(answer: HttpResponse, requestId: string): void {
    const { server, format, isShuttingDown } = this.#lane;
    if (this.socket.destroyed) return;
    const isLast = this.#hasEnded || !server.listening || isShuttingDown();
    const text = format(answer, requestId, isLast);
    // Written as latin1 an ASCII text needs no conversion.
    const encoding = Buffer.byteLength(text) === text.length ? "latin1" : "utf8";
    const isTaken = this.socket.write(text, encoding);
    // As node:http does: a client that keeps its own side open would hold up the stop.
    if (isLast) this.socket.destroySoon();
    else if (isTaken) this.#goOn();
    // Who does not read the answers is not given more of them.
    else this.socket.once("drain", () => this.#goOn());
  }

  #goOn(): void {
    this.isBusy = false;
    if (this.#early.length > 0) this.#handOver(Buffer.concat(this.#early));
    else if (this.#hasEnded) this.socket.end();
  }

  #end(): void {
    this.#hasEnded = true;
    if (!this.isBusy) this.socket.end();
  }

  /** node:http knows what to say to who has never sent a request; others expect no answer. */
  closeIfIdle(nowMs: number): void {
    const { headersTimeout, keepAliveTimeout } = this.#lane.server;
    const silentMs = nowMs - this.#heardMs;
    if (this.isBusy) {
      if (this.socket.writableNeedDrain && silentMs > WRITE_TIMEOUT_MS) this.socket.destroy();
    } else if (this.#hasBegun) {
      if (silentMs > keepAliveTimeout + KEEP_ALIVE_BUFFER_MS) this.socket.destroy();
    } else if (silentMs > headersTimeout) this.#handOver(Buffer.alloc(0));
  }

  /** From here on the connection is node:http's, as if these bytes were the first. */
  #handOver(bytes: Buffer): void {
    const { connections, servedByNode, serveByNode } = this.#lane;
    connections.delete(this);
    servedByNode.add(this.socket);
    this.socket.once("close", () => servedByNode.delete(this.socket));
    for (const [event, listener] of this.#listeners) this.socket.off(event, listener);
    this.#stopReceiving();
    serveByNode(this.socket);
    this.socket.resume();
    if (bytes.length > 0) this.socket.emit("data", bytes);
    // The end may have come with the last bytes, while a request was under way.
    if (this.#hasEnded) this.socket.emit("end");
  }
}

/** A request that the lane understands whole. */
export interface PlainRequest {
  readonly method: "GET" | "POST";
  /** The pattern of its path, as the log has it. */
  readonly route: string;
  readonly answer: (requestId: string) => Promise<HttpResponse>;
  /** What it is answered when too much is asked at once. */
  readonly busy: Failure;
}

/** @returns `undefined` for bytes that are not just one plain request. */
export type ParsePlainRequest = (bytes: Buffer) => PlainRequest | undefined;
