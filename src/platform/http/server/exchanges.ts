import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

interface Connection {
  /** In the order of their requests. */
  readonly responses: ServerResponse[];
  /** The last admitted request, which may be incomplete. */
  latest?: IncomingMessage;
  /** Whether no further request is admitted. */
  isClosing: boolean;
  /** Whether the connection is no longer parsed. */
  isCutOff: boolean;
  /** Runs after each response until the last one of a connection that is cut off. */
  proceed?: (() => void) | undefined;
}

/** A connection as node:http sees it. */
interface Side extends Duplex {
  /** Whether further requests may have arrived. */
  readonly hasWaiting: boolean;
  /** Runs each time when a request has its response. */
  onResponse(request: IncomingMessage): void;
  /** Discards what the client sends from now on. */
  cutOff(): void;
  /** Closes the connection behind its last response. */
  destroySoon(): void;
}

const sideOf = ({ socket }: IncomingMessage) => socket as unknown as Side;

/**
 * Whether a request is HTTP/1.0 without a transfer coding, or 1.1 with chunked at most (RFC 9112,
 * section 6.1). Node's parser accepts more. The end of any other request is in doubt.
 */
export function isWellFramed({ httpVersion, headers }: IncomingMessage): boolean {
  const { "transfer-encoding": coding } = headers;
  if (coding === undefined) return httpVersion === "1.1" || httpVersion === "1.0";
  return httpVersion === "1.1" && coding.toLowerCase() === "chunked";
}

/**
 * The requests in flight on each connection of node:http, in order, and every rule of which
 * response is a connection's last: each admitted request gets its response before the connection
 * closes, and a shutdown or a framing error closes it only after the responses to earlier requests.
 * See docs/decisions/0013-last-responses-wait-for-earlier-ones.md.
 */
export class Exchanges {
  readonly #server: Server;
  readonly #isShuttingDown: () => boolean;
  readonly #connections = new WeakMap<Duplex, Connection>();

  /**
   * Wraps the listener that serves the server's requests.
   *
   * @param isShuttingDown whether a server that still listens stops soon.
   */
  constructor(server: Server, isShuttingDown: () => boolean) {
    this.#server = server;
    this.#isShuttingDown = isShuttingDown;
    const [serve] = server.listeners("request") as RequestListener[];
    if (serve === undefined) throw new Error("this server does not serve requests");
    const admit: RequestListener = (request, response) => {
      if (this.#admit(request, response)) serve.call(server, request, response);
    };
    server.removeListener("request", serve);
    server.on("request", admit);
    // RFC 9110, section 10.1.1: an expectation that is not understood may be ignored.
    server.on("checkExpectation", admit);
    server.on("checkContinue", (request, response) => {
      const connection = this.#connectionOf(request.socket);
      // Behind other responses, Node would write the interim response into the final one (26.10).
      // Without it, Node closes the connection with the final response.
      const isWritten = connection.responses.length === 0;
      if (isWritten) response.writeContinue();
      admit(request, response);
      if (!isWritten) connection.isClosing = true;
    });
  }

  #connectionOf(socket: Duplex): Connection {
    return this.#connections.getOrInsertComputed(socket, () => ({
      responses: [],
      isClosing: false,
      isCutOff: false,
    }));
  }

  #admit(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.#connectionOf(request.socket);
    if (connection.isClosing) return false;
    const { responses } = connection;
    responses.push(response);
    connection.latest = request;
    // Node ignores the Upgrade, and drops the data after the request in the same packet.
    if (request.headers.upgrade !== undefined || !isWellFramed(request)) {
      connection.isClosing = true;
      response.shouldKeepAlive = false;
    }
    response.once("close", () => {
      responses.splice(responses.indexOf(response), 1);
      connection.proceed?.();
      sideOf(request).onResponse(request);
    });
    return true;
  }

  /** Whether the server stops: it still serves, and each last response closes its connection. */
  #isStopping(): boolean {
    return !this.#server.listening || this.#isShuttingDown();
  }

  /** How many requests of the connection have no complete response yet. */
  countOf(socket: Duplex): number {
    return this.#connections.get(socket)?.responses.length ?? 0;
  }

  /** Who closes the connection with a response of the fast path, if anybody. */
  closerOf(hasClientEnded: boolean, wantsClose: boolean): "server" | "client" | undefined {
    if (hasClientEnded || this.#isStopping()) return "server";
    return wantsClose ? "client" : undefined;
  }

  /**
   * Whether the connection closes with this response of node:http: the server stops, as a
   * keep-alive connection would delay the shutdown, and no later request was admitted. If so, the
   * connection admits no further request: it would be charged without a response.
   *
   * @param mustClose whether it also closes while the server runs.
   */
  endsWith(response: ServerResponse, mustClose: boolean): boolean {
    if (!mustClose && !this.#isStopping()) return false;
    // The framework adds `Connection: close` to every response of a server that closes.
    if (response.hasHeader("connection")) response.removeHeader("connection");
    const connection = this.#connectionOf(response.req.socket);
    const { responses, proceed } = connection;
    if (responses.at(-1) !== response || proceed !== undefined) return false;
    if (!mustClose && sideOf(response.req).hasWaiting) return false;
    connection.isClosing = true;
    return true;
  }

  /** Closes a connection whose last response came before the shutdown: nothing else does. */
  closeIfStopped(socket: Side): void {
    const { responses, proceed, latest } = this.#connectionOf(socket);
    const isOver = latest !== undefined && responses.length === 0 && proceed === undefined;
    if (isOver && !this.#server.listening) socket.destroySoon();
  }

  /**
   * Ends a connection whose next request cannot be parsed, once every complete request has its
   * response, unless the connection breaks before. The last request is abandoned when its body is
   * incomplete and no response has begun.
   *
   * @param close receives whether the incomplete request got a response anyway: the last one.
   */
  cutOff(socket: Side, close: (hasResponse: boolean) => void): void {
    const connection = this.#connectionOf(socket);
    const { responses, latest, isClosing, isCutOff } = connection;
    // The parser reports the same error again for data that arrives later. Data behind a last
    // request must not be processed (RFC 9112, section 9.6).
    if (isCutOff || (isClosing && latest?.complete === true)) return;
    connection.isCutOff = true;
    socket.cutOff();
    const isIncomplete = latest?.complete === false;
    const abandoned = isIncomplete ? responses.at(-1) : undefined;
    connection.proceed = () => {
      const [next] = responses;
      const isOver = next === undefined || (next === abandoned && !next.headersSent);
      if (!isOver || !socket.writable) return;
      connection.proceed = undefined;
      close(isIncomplete && next === undefined);
    };
    connection.proceed();
  }
}
