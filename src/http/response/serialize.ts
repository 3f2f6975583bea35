import type { Server } from "node:http";
import type { Clock } from "../../shared/clock.ts";
import { STATUS_CODES } from "../node-http.ts";
import type { HttpResponse } from "./response.ts";

/**
 * Serializes a complete response to one text, with its headers in node:http's order.
 *
 * @param isLast whether the connection closes after it.
 */
export type SerializeResponse = (
  response: HttpResponse,
  requestId: string,
  isLast: boolean,
) => string;

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

  return ({ status, headers, body }, requestId, isLast) => {
    let own = "";
    for (let index = 0; index < headers.length; index += 2) {
      own += `${headers[index]}: ${headers[index + 1]}\r\n`;
    }
    const ending = isLast
      ? `connection: close\r\nDate: ${dateNow()}`
      : `Date: ${dateNow()}\r\n${keepAlive}`;
    const type = body === "" ? "" : "content-type: application/json; charset=utf-8\r\n";
    return (
      `${starts.get(status) ?? startOf(status)}${requestId}\r\n${own}${type}` +
      `content-length: ${Buffer.byteLength(body)}\r\n${ending}\r\n\r\n${body}`
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
