import { connect } from "node:net";
import type { Reply } from "./client.ts";

/** One bare connection that pipelines reads. */
export interface Reader extends Disposable {
  /** Rejects when the connection breaks before the response is complete. */
  readRate(pair: string, apiKey: string): Promise<Reply>;
}

/**
 * Uses a fraction of an HTTP client's CPU time, which tests with very many reads leave to the
 * servers: reads that start together are sent together.
 */
export function openReader(url: string): Reader {
  const { host, hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const waiting: PromiseWithResolvers<Reply>[] = [];
  let unsent = "";
  let received = "";
  let broken: Error | undefined;

  const fail = (error: Error) => {
    broken ??= error;
    for (const { reject } of waiting.splice(0)) reject(broken);
  };
  const flush = () => {
    socket.write(unsent, "latin1");
    unsent = "";
  };
  // Each character is a byte: Content-Length counts bytes.
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
    for (;;) {
      const answer = firstAnswerOf(received);
      if (answer === undefined) return;
      received = received.slice(answer.length);
      const asked = waiting.shift();
      if (asked === undefined) return void socket.destroy(new Error("a response without a read"));
      asked.resolve(answer.reply);
    }
  });
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the connection was closed")));
  return {
    readRate(pair, apiKey) {
      const asked = Promise.withResolvers<Reply>();
      if (broken !== undefined) return Promise.reject(broken);
      waiting.push(asked);
      if (unsent === "") process.nextTick(flush);
      unsent += `GET /v1/rates/${pair} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ApiKey ${apiKey}\r\n\r\n`;
      return asked.promise;
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** @returns nothing while the first response is incomplete. */
function firstAnswerOf(received: string): { reply: Reply; length: number } | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const head = received.slice(0, headEnd);
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
  const bodyLength = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (status === undefined || bodyLength === undefined) throw new Error(`not a response: ${head}`);
  const bodyStart = headEnd + 4;
  const length = bodyStart + Number(bodyLength);
  if (received.length < length) return undefined;
  const body = Buffer.from(received.slice(bodyStart, length), "latin1").toString();
  return { reply: { status: Number(status), body }, length };
}
