import type { Server } from "node:http";
import type { Clock } from "../../shared/clock.ts";
import { corsHeaders } from "../headers.ts";
import { STATUS_CODES } from "../server/node-http.ts";
import type { HttpResponse } from "./response.ts";

/**
 * Serializes a complete response to one text, with its headers in node:http's order.
 *
 * @param closedBy who closes the connection after it; undefined: nobody.
 */
export type SerializeResponse = (
  response: HttpResponse,
  requestId: string,
  closedBy: "server" | "client" | undefined,
  request?: ResponseForm,
) => string;

/** What a request says about the form of its response. */
export interface ResponseForm {
  /** The response to a HEAD has no body, but the headers of one. */
  readonly method: "GET" | "HEAD" | "POST";
  /** Whether a page in a browser sent it. */
  readonly hasOrigin: boolean;
}

const corsPairs = Object.entries(corsHeaders).flat();

/**
 * The headers of a response between its id and those of its connection, in their order on both
 * ways: alternating names and values.
 *
 * @param bytes the length of the body.
 */
export function ownHeaders(
  { status, headers, body }: HttpResponse,
  bytes: number,
  hasOrigin: boolean,
  type = "application/json; charset=utf-8",
): string[] {
  const pairs = [...headers];
  if (body !== "") pairs.push("content-type", type);
  // RFC 9110, section 8.6: a 204 has no Content-Length.
  if (status !== 204) pairs.push("content-length", String(bytes));
  if (hasOrigin) pairs.push(...corsPairs);
  return pairs;
}

export function createSerializer(
  server: Pick<Server, "keepAliveTimeout">,
  commonHeaders: Readonly<Record<string, string>>,
  clock: Clock,
): SerializeResponse {
  const common = Object.entries(commonHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  const starts = new Map<number, string>();
  const startOf = (status: number): string => {
    const start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${common.join("")}x-request-id: `;
    starts.set(status, start);
    return start;
  };
  const endings = createEndings(server.keepAliveTimeout / 1000, clock);

  // Each piece of the text is a step of its own for V8: constants are joined beforehand.
  return (response, requestId, closedBy, request) => {
    const { status, body } = response;
    let text = (starts.get(status) ?? startOf(status)) + requestId;
    const own = ownHeaders(response, Buffer.byteLength(body), request?.hasOrigin === true);
    for (let index = 0; index < own.length; index += 2) {
      text += `\r\n${own[index]}: ${own[index + 1]}`;
    }
    const ending = endings()[closedBy ?? "nobody"];
    return text + ending + (request?.method === "HEAD" ? "" : body);
  };
}

/**
 * The headers that end a response, with its date, by who closes the connection after it: composed
 * once a second.
 */
function createEndings(keepAliveSeconds: number, clock: Clock) {
  const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}`;
  let second = Number.NaN;
  let endings = { nobody: "", server: "", client: "" };
  return () => {
    const nowSecond = Math.floor(clock.nowMs() / 1000);
    if (nowSecond !== second) {
      second = nowSecond;
      const date = `Date: ${new Date(nowSecond * 1000).toUTCString()}`;
      endings = {
        nobody: `\r\n${date}\r\n${keepAlive}\r\n\r\n`,
        server: `\r\nconnection: close\r\n${date}\r\n\r\n`,
        client: `\r\n${date}\r\nConnection: close\r\n\r\n`,
      };
    }
    return endings;
  };
}
