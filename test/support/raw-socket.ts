import { once } from "node:events";
import { connect } from "node:net";
import type { Answer } from "./service.ts";

/** A server that neither responds nor closes for this long hangs, on any machine. */
const IDLE_MS = 120_000;

/**
 * Writes a text on a bare socket unchanged: requests that no HTTP client would send.
 *
 * @param hangUp ends the sending side after the text, like a client that is cut off.
 * @returns the responses until the server closed the connection.
 */
export async function sendRaw(url: string, text: string, hangUp = false): Promise<Answer[]> {
  const send = await connectRaw(url);
  return await send(text, hangUp);
}

/** Like `sendRaw`, in two steps: connects, and then sends. */
export async function connectRaw(
  url: string,
): Promise<(text: string, hangUp?: boolean) => Promise<Answer[]>> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  await once(socket, "connect");
  return (text, hangUp = false) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer[]>();
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", reject);
    socket.setTimeout(IDLE_MS, () => socket.destroy(new Error("the server does not close it")));
    socket.on("end", () => socket.end());
    socket.on("close", () => resolve(answersOf(Buffer.concat(chunks))));
    if (hangUp) socket.end(text);
    else socket.write(text);
    return promise;
  };
}

/** Splits a stream of responses by their Content-Length. */
function answersOf(received: Buffer): Answer[] {
  const answers: Answer[] = [];
  let rest = received;
  while (rest.length > 0) {
    const headEnd = rest.indexOf("\r\n\r\n");
    const head = rest.subarray(0, headEnd).toString("latin1").split("\r\n");
    const status = Number(head[0]?.split(" ")[1]);
    const headers = Object.fromEntries(
      head.slice(1).map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const bodyStart = headEnd + 4;
    const bodyEnd = bodyStart + Number(headers["content-length"] ?? 0);
    const text = rest.subarray(bodyStart, bodyEnd).toString();
    const isJson = headers["content-type"]?.startsWith("application/json") && text !== "";
    answers.push({ status, headers, text, body: isJson ? JSON.parse(text) : {} });
    // Without a length the response ends with the connection.
    rest =
      headers["content-length"] === undefined && status >= 200
        ? rest.subarray(rest.length)
        : rest.subarray(bodyEnd);
  }
  return answers;
}
