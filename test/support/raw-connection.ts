import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A server that has not sent what a test waits for by then hangs, on any machine. */
const PATIENCE_MS = 120_000;

/** One answer as it stands on the wire. */
export interface WireAnswer {
  readonly status: number;
  /** The lines of its head behind the status line, in order. */
  readonly lines: readonly string[];
  readonly body: string;
}

/** A bare connection: it sends the bytes it is given, in as many writes, and keeps what comes. */
export interface Wire extends Disposable {
  readonly socket: Socket;
  /** All that came and was not yet taken as an answer, in latin1. */
  received(): string;
  send(text: string): void;
  /** Waits for one whole answer with a Content-Length, and takes it. */
  answer(): Promise<WireAnswer>;
  /** Waits for one whole answer, and leaves it. */
  untilAnswer(): Promise<void>;
  /** Waits until so many bytes have come, or the connection is closed. */
  untilBytes(count: number): Promise<void>;
  /** Waits until the server has ended its side. */
  untilEnd(): Promise<void>;
  /** Whether the server has ended its side, or the connection broke. */
  isOver(): boolean;
}

/** @param allowHalfOpen whether the client keeps its side open when the server ends its own. */
export async function openWire(url: string, allowHalfOpen = false): Promise<Wire> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen });
  await once(socket, "connect");
  let text = "";
  let isOver = false;
  const watchers = new Set<() => void>();
  const look = () => {
    for (const watcher of watchers) watcher();
  };
  const end = () => {
    isOver = true;
    look();
  };
  socket.setEncoding("latin1").on("data", (part: string) => {
    text += part;
    look();
  });
  // A reset is the end of a connection, too; what came before it is what counts.
  socket.on("end", end).on("close", end).on("error", end);

  const until = async (what: string, isThere: () => boolean): Promise<void> => {
    if (isThere()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const told = () => `no ${what}, but ${JSON.stringify(text.slice(0, 4000))}`;
    const late = setTimeout(() => reject(new Error(told())), PATIENCE_MS);
    const watcher = () => {
      if (isThere()) resolve();
    };
    watchers.add(watcher);
    await promise.finally(() => {
      clearTimeout(late);
      watchers.delete(watcher);
    });
  };

  const untilAnswer = async () => {
    await until("answer's head", () => lengthOfAnswer(text) !== undefined || isOver);
    const length = lengthOfAnswer(text) ?? 0;
    await until("whole answer", () => text.length >= length || isOver);
  };

  return {
    socket,
    received: () => text,
    send: (part) => void socket.write(part, "latin1"),
    isOver: () => isOver,

    async answer() {
      await untilAnswer();
      const length = lengthOfAnswer(text);
      if (length === undefined || text.length < length) {
        throw new Error(`over without an answer: ${JSON.stringify(text.slice(0, 4000))}`);
      }
      const answer = parse(text.slice(0, length));
      text = text.slice(length);
      return answer;
    },

    untilAnswer,
    untilBytes: (count) => until(`${count} bytes`, () => text.length >= count || isOver),
    untilEnd: () => until("end", () => isOver),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** @returns the length of the first answer, or `undefined` as long as its head is not whole. */
function lengthOfAnswer(text: string): number | undefined {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const bodyLength = /\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(0, headEnd + 2))?.[1] ?? "0";
  return headEnd + 4 + Number(bodyLength);
}

function parse(text: string): WireAnswer {
  const headEnd = text.indexOf("\r\n\r\n");
  const [start = "", ...lines] = text.slice(0, headEnd).split("\r\n");
  return { status: Number(start.split(" ")[1]), lines, body: text.slice(headEnd + 4) };
}

/** Takes out what no two answers share: the request's id, the time, the units that are left. */
export function comparable(text: string): string {
  return text
    .replaceAll(/(x-request-id: |"request_id":")[0-9a-f-]{36}/g, "$1(id)")
    .replaceAll(/\r\nDate: [^\r]{29}\r\n/g, "\r\nDate: (date)\r\n")
    .replaceAll(/("units";r=)\d+/g, "$1(left)");
}
