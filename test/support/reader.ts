import { connect } from "node:net";
import type { Reply } from "./client.ts";

/** One bare connection on which reads are sent without waiting for the answers before them. */
export interface Reader extends Disposable {
  /** Rejects when the connection breaks before the answer is whole. */
  readRate(pair: string, apiKey: string): Promise<Reply>;
}

/**
 * Costs a fraction of an HTTP client's processor time, which tests of very many reads leave to the
 * servers: reads that are asked for together go out together.
 */
export function openReader(url: string): Reader {
  const { host, hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const waiting: PromiseWithResolvers<Reply>[] = [];
  let unsent = "";
  let received = "";
  let broken: Error | undefined;

  const breakOff = (error: Error) => {
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
      if (asked === undefined) return void socket.destroy(new Error("an answer to no read"));
      asked.resolve(answer.reply);
    }
  });
  socket.on("error", breakOff);
  socket.on("close", () => breakOff(new Error("the connection was closed")));
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

/** @returns nothing when the first answer is not whole yet. */
function firstAnswerOf(received: string): { reply: Reply; length: number } | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const head = received.slice(0, headEnd);
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
  const bodyLength = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (status === undefined || bodyLength === undefined) throw new Error(`no answer: ${head}`);
  const bodyStart = headEnd + 4;
  const length = bodyStart + Number(bodyLength);
  if (received.length < length) return undefined;
  const body = Buffer.from(received.slice(bodyStart, length), "latin1").toString();
  return { reply: { status: Number(status), body }, length };
}
