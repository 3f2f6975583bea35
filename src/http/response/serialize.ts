import type { Server } from "node:http";
import type { Clock } from "../../shared/clock.ts";
import { corsHeaders } from "../headers.ts";
import { STATUS_CODES } from "../node-http.ts";
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
  const seconds = server.keepAliveTimeout / 1000;
  const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}`;
  const dateNow = createDate(clock);
  const cors = Object.entries(corsHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  const corsText = cors.join("");

  return ({ status, headers, body }, requestId, closedBy, request) => {
    let own = "";
    for (let index = 0; index < headers.length; index += 2) {
      own += `${headers[index]}: ${headers[index + 1]}\r\n`;
    }
    const date = `Date: ${dateNow()}`;
    const ending =
      closedBy === undefined
        ? `${date}\r\n${keepAlive}`
        : closedBy === "server"
          ? `connection: close\r\n${date}`
          : `${date}\r\nConnection: close`;
    const forPages = request?.hasOrigin === true ? corsText : "";
    const type = body === "" ? "" : "content-type: application/json; charset=utf-8\r\n";
    return (
      `${starts.get(status) ?? startOf(status)}${requestId}\r\n${own}${type}` +
      `content-length: ${Buffer.byteLength(body)}\r\n${forPages}${ending}\r\n\r\n` +
      (request?.method === "HEAD" ? "" : body)
    );
  };
}

/** The value of the Date header, computed once a second. */
function createDate(clock: Clock): () => string {
  let second = Number.NaN;
  let date = "";
  return () => {
    const nowSecond = Math.floor(clock.nowMs() / 1000);
    if (nowSecond !== second) {
      second = nowSecond;
      date = new Date(nowSecond * 1000).toUTCString();
    }
    return date;
  };
}
