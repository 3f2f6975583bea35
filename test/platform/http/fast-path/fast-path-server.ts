import assert from "node:assert/strict";
import {
  createServer,
  type RequestListener,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { pino } from "pino";
import { installFastPath } from "../../../../src/platform/http/fast-path/connection.ts";
import { createPlainParser } from "../../../../src/platform/http/fast-path/plain-request.ts";
import { commonHeaders } from "../../../../src/platform/http/headers.ts";
import type { HttpResponse } from "../../../../src/platform/http/response/response.ts";
import { createSerializer } from "../../../../src/platform/http/response/serialize.ts";
import { Exchanges } from "../../../../src/platform/http/server/exchanges.ts";
import { createPlainRead } from "../../../../src/reads/metering/fast-path.ts";
import { eventually } from "../../../support/mails.ts";
import { listen } from "../../../support/other-server.ts";
import { openWire, type Wire } from "../../../support/raw-connection.ts";
import { TestClock } from "../../../support/service.ts";

// The fast path alone on a real server. The test decides how long a request takes: with a store it
// would be too short for anything to happen meanwhile.

/** A request that has no response yet. */
interface Held {
  /** @param body of the response; by default the pair, or the path. */
  answer(body?: string): void;
  /** Of node:http. */
  readonly response?: ServerResponse;
}

/** Holds the reads, and of other requests those of `/held`; the rest gets its path. */
export async function startFastPath(options: ServerOptions = {}) {
  const held: Held[] = [];
  const logged: number[] = [];
  let fastReads = 0;
  const serve: RequestListener = ({ url = "" }, response) => {
    const answer = (body = url) => void response.setHeader("content-length", body.length).end(body);
    if (url === "/held") held.push({ answer, response });
    else answer();
  };
  const server = Object.assign(createServer(options, serve), { httpAllowHalfOpen: true });
  const plainRead = createPlainRead((_requestId, _apiKey, base, quote) => {
    const { promise, resolve } = Promise.withResolvers<HttpResponse>();
    const answer = (body = `${base}/${quote}`) =>
      resolve({ status: 200, code: undefined, headers: [], body });
    fastReads += 1;
    held.push({ answer });
    return promise;
  });
  installFastPath(server, () => true, {
    parse: createPlainParser([plainRead]),
    logAccess: (_request, status) => void logged.push(status),
    serialize: createSerializer(server, commonHeaders, new TestClock("2026-11-21T12:00:00.000Z")),
    log: pino({ enabled: false }),
    admit: () => true,
    paceRejection: (reject) => reject(),
    exchanges: new Exchanges(server, () => false),
  });
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => void sockets.push(socket));
  const { url } = await listen(server);
  const lane = {
    url,
    server,
    logged,
    /** The server's ends of its connections, in order. */
    sockets,
    /** The requests that wait for their response. */
    held,
    /** How many reads the fast path has served. */
    fastReads: () => fastReads,
    /** Sends a request, and waits until the server has begun it. */
    async begin(wire: Wire, request: string): Promise<Held> {
      const count = held.length;
      wire.send(request);
      return await eventually("a request that waits", () => held[count]);
    },
    /** Waits until the server has read what other connections sent before. */
    async hasRead(): Promise<void> {
      using probe = await openWire(url);
      probe.send(other("/probe"));
      assert.equal((await probe.answer()).text, "/probe");
    },
    /** Stops as the service does. @returns when every connection has ended. */
    stop: () => new Promise<void>((ended) => server.close(() => ended())),
    async assertNoneLeft(): Promise<void> {
      const count = () =>
        new Promise<number>((found) => server.getConnections((_error, open) => found(open)));
      await eventually("end of every connection", async () => (await count()) === 0 || undefined);
    },
    async [Symbol.asyncDispose]() {
      const stopped = lane.stop();
      server.closeAllConnections();
      await stopped;
    },
  };
  return lane;
}

export type FastPath = Awaited<ReturnType<typeof startFastPath>>;

export const readOf = (pair: string) =>
  `GET /v1/rates/${pair} HTTP/1.1\r\nHost: kurs\r\nAuthorization: ApiKey k\r\n\r\n`;
export const other = (path: string) => `GET ${path} HTTP/1.1\r\nHost: kurs\r\n\r\n`;

/** Sends a read, which the fast path serves. */
export async function assertFastRead(lane: FastPath, wire: Wire): Promise<void> {
  const before = lane.fastReads();
  (await lane.begin(wire, readOf("EUR/USD"))).answer();
  assert.equal((await wire.answer()).text, "EUR/USD");
  assert.equal(lane.fastReads(), before + 1, "node:http served a read");
}
