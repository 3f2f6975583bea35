import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The requests in flight on each connection of node:http, in order. It exists for two rules: every
 * admitted request gets its response before the connection closes, and a shutdown or a framing
 * error closes a connection only after the responses to earlier requests. See
 * docs/decisions/0013-last-responses-wait-for-earlier-ones.md.
 */
export interface Exchanges {
  /** How many requests of the connection have no complete response yet. */
  countOf(socket: Socket): number;
  /** Whether the server stops: it still serves, and each last response closes its connection. */
  isStopping(): boolean;
  /**
   * Whether the connection closes with this response: the server stops, as a keep-alive connection
   * would delay the shutdown, and no later request was admitted. If so, the connection admits no
   * further request: it would be charged without a response.
   *
   * @param mustClose whether it also closes while the server runs.
   */
  endsWith(response: ServerResponse, mustClose: boolean): boolean;
  /** Whether the connection closes with the response to a complete request. */
  isClosing(socket: Socket): boolean;
  /**
   * Calls back once every complete request of a connection that is no longer parsed has its
   * response, unless the connection breaks before. The last request is abandoned when its body is
   * incomplete and no response has begun: nothing may be written for it from then on.
   *
   * @param proceed receives whether the incomplete request got a response anyway.
   */
  afterResponses(socket: Socket, proceed: (hasResponse: boolean) => void): void;
  /**
   * @param hasMore whether further requests of the connection may have arrived.
   * @param onResponse runs each time when a request of the connection has its response.
   */
  follow(socket: Socket, hasMore: () => boolean, onResponse: () => void): void;
  /** Closes a connection whose last response came before the shutdown: nothing else does. */
  closeIfStopped(socket: Socket): void;
}

interface Connection {
  /** In the order of their requests. */
  readonly responses: ServerResponse[];
  /** The last admitted request, which may be incomplete. */
  latest?: IncomingMessage;
  /** Whether no further request is admitted. */
  isClosing: boolean;
  /** Runs after each response while `afterResponses` waits. */
  onResponse?: (() => void) | undefined;
  hasMore?: () => boolean;
  afterEach?: () => void;
}

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
 * Wraps the listener that serves the server's requests.
 *
 * @param isShuttingDown whether a server that still listens stops soon.
 */
export function trackExchanges(server: Server, isShuttingDown: () => boolean): Exchanges {
  const [serve] = server.listeners("request") as RequestListener[];
  if (serve === undefined) throw new Error("this server does not serve requests");
  const connections = new WeakMap<Socket, Connection>();
  const connectionOf = (socket: Socket): Connection =>
    connections.getOrInsertComputed(socket, () => ({ responses: [], isClosing: false }));

  const admit: RequestListener = (request, response) => {
    const { socket } = request;
    const connection = connectionOf(socket);
    if (connection.isClosing) return;
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
      connection.onResponse?.();
      connection.afterEach?.();
    });
    serve.call(server, request, response);
  };
  server.removeListener("request", serve);
  server.on("request", admit);
  // RFC 9110, section 10.1.1: an expectation that is not understood may be ignored.
  server.on("checkExpectation", admit);
  server.on("checkContinue", (request, response) => {
    const connection = connectionOf(request.socket);
    // Behind other responses, Node would write the interim response into the final one (26.10).
    // Without it, Node closes the connection with the final response.
    const isWritten = connection.responses.length === 0;
    if (isWritten) response.writeContinue();
    admit(request, response);
    if (!isWritten) connection.isClosing = true;
  });

  const isStopping = () => !server.listening || isShuttingDown();

  return {
    isStopping,
    countOf: (socket) => connections.get(socket)?.responses.length ?? 0,

    follow(socket, hasMore, onResponse) {
      Object.assign(connectionOf(socket), { hasMore, afterEach: onResponse });
    },

    closeIfStopped(socket) {
      const { responses, onResponse, latest } = connectionOf(socket);
      const isOver = latest !== undefined && responses.length === 0 && onResponse === undefined;
      if (isOver && !server.listening) socket.destroySoon();
    },

    endsWith(response, mustClose) {
      if (!mustClose && !isStopping()) return false;
      // The framework adds `Connection: close` to every response of a server that closes.
      if (response.hasHeader("connection")) response.removeHeader("connection");
      const connection = connectionOf(response.req.socket);
      const { responses, onResponse } = connection;
      if (responses.at(-1) !== response || onResponse !== undefined) return false;
      if (!mustClose && connection.hasMore?.() === true) return false;
      connection.isClosing = true;
      return true;
    },

    isClosing(socket) {
      const { isClosing, latest } = connectionOf(socket);
      return isClosing && latest?.complete === true;
    },

    afterResponses(socket, proceed) {
      const connection = connectionOf(socket);
      const { responses } = connection;
      const isIncomplete = connection.latest?.complete === false;
      const abandoned = isIncomplete ? responses.at(-1) : undefined;
      connection.onResponse = () => {
        const [next] = responses;
        const isOver = next === undefined || (next === abandoned && !next.headersSent);
        if (!isOver || !socket.writable) return;
        connection.onResponse = undefined;
        proceed(isIncomplete && next === undefined);
      };
      connection.onResponse();
    },
  };
}
