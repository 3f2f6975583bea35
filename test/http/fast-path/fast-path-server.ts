import assert from "node:assert/strict";
import { createServer, type RequestListener, type ServerOptions } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { pino } from "pino";
import { installFastPath } from "../../../src/http/fast-path/connection.ts";
import { commonHeaders } from "../../../src/http/headers.ts";
import type { HttpResponse } from "../../../src/http/response/response.ts";
import { createSerializer } from "../../../src/http/response/serialize.ts";
import { trackExchanges } from "../../../src/http/server/exchanges.ts";
import { createReadParser } from "../../../src/metering/fast-path.ts";
import { eventually } from "../../support/mails.ts";
import { openWire } from "../../support/raw-connection.ts";
import { TestClock } from "../../support/service.ts";

// The fast path alone on a real server. The test decides how long a read takes: with a store it
// would be too short for anything to happen meanwhile.

interface InFlight {
  readonly pair: string;
  /** @param body of the response; by default the pair. */
  answer(body?: string): void;
}

/** @param serve serves what is no plain read; by default it responds with the path. */
export async function startFastPath(serve: RequestListener = echo, options: ServerOptions = {}) {
  const reads: InFlight[] = [];
  const logged: number[] = [];
  const server = Object.assign(createServer(options, serve), { httpAllowHalfOpen: true });
  const parse = createReadParser((_requestId, _apiKey, base, quote) => {
    const { promise, resolve } = Promise.withResolvers<HttpResponse>();
    const pair = `${base}/${quote}`;
    const answer = (body = pair) => resolve({ status: 200, code: undefined, headers: [], body });
    reads.push({ pair, answer });
    return promise;
  });
  installFastPath(server, {
    parse,
    logAccess: (_request, status) => void logged.push(status),
    serialize: createSerializer(server, commonHeaders, new TestClock("2026-11-21T12:00:00.000Z")),
    log: pino({ enabled: false }),
    admit: () => true,
    paceRejection: (reject) => reject(),
    acceptConnection: () => true,
    exchanges: trackExchanges(server, () => false),
  });
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => void sockets.push(socket));
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", () => resolve());
  await listening;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    server,
    logged,
    reads,
    /** The server's ends of its connections, in order. */
    sockets,
    /** Waits until this many reads have begun. @returns the last of them. */
    begun: (count: number) =>
      eventually(`${count} reads`, () => (reads.length < count ? undefined : reads[count - 1])),
    /** Stops as the service does. @returns when every connection has ended. */
    stop() {
      const { promise, resolve: ended } = Promise.withResolvers<void>();
      server.close(() => ended());
      return promise;
    },
    openConnections() {
      const { promise, resolve: count, reject } = Promise.withResolvers<number>();
      server.getConnections((error, open) => (error === null ? count(open) : reject(error)));
      return promise;
    },
    async [Symbol.asyncDispose]() {
      const stopped = this.stop();
      server.closeAllConnections();
      await stopped;
    },
  };
}

const echo: RequestListener = ({ url = "" }, response) =>
  void response.setHeader("content-length", url.length).end(url);

export type FastPath = Awaited<ReturnType<typeof startFastPath>>;

export const readOf = (pair: string) =>
  `GET /v1/rates/${pair} HTTP/1.1\r\nHost: kurs\r\nAuthorization: ApiKey k\r\n\r\n`;
export const other = (path: string) => `GET ${path} HTTP/1.1\r\nHost: kurs\r\n\r\n`;

/** Waits until the server has read what other connections sent before. */
export async function serverHasRead(lane: FastPath): Promise<void> {
  using probe = await openWire(lane.url);
  probe.send(other("/probe"));
  assert.equal((await probe.answer()).text, "/probe");
}

export async function assertNoneLeft(lane: FastPath): Promise<void> {
  await eventually("end of every connection", async () =>
    (await lane.openConnections()) === 0 ? true : undefined,
  );
}

/** More than the kernel buffers for a client that does not read: the rest stays with the server. */
export const LARGE_BODY = "a".repeat(12 << 20);
