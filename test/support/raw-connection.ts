import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A server that has not sent what a test waits for by then hangs, on any machine. */
const WAIT_MS_MAX = 120_000;

/** One response as sent on the wire. */
export interface WireAnswer {
  readonly status: number;
  /** The lines of its head after the status line, in order. */
  readonly lines: readonly string[];
  readonly body: string;
}

/** A bare connection: it sends the given bytes, in as many writes, and records what it receives. */
export interface Wire extends Disposable {
  readonly socket: Socket;
  /** The received text that was not yet read as a response, in latin1. */
  received(): string;
  send(text: string): void;
  /** Waits for one complete response with a Content-Length, and consumes it. */
  answer(): Promise<WireAnswer>;
  /** Waits for one complete response without consuming it. */
  untilAnswer(): Promise<void>;
  /** Waits until this many bytes have arrived, or the connection is closed. */
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
  const notify = () => {
    for (const watcher of watchers) watcher();
  };
  const end = () => {
    isOver = true;
    notify();
  };
  socket.setEncoding("latin1").on("data", (part: string) => {
    text += part;
    notify();
  });
  // A reset also ends the connection; the bytes before it count.
  socket.on("end", end).on("close", end).on("error", end);

  const until = async (what: string, isMet: () => boolean): Promise<void> => {
    if (isMet()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const describe = () => `no ${what}, but ${JSON.stringify(text.slice(0, 4000))}`;
    const late = setTimeout(() => reject(new Error(describe())), WAIT_MS_MAX);
    const watcher = () => {
      if (isMet()) resolve();
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

/** @returns the length of the first response, or `undefined` while its head is incomplete. */
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

/** Replaces what differs between responses: the request id, the time, and the remaining units. */
export function comparable(text: string): string {
  return text
    .replaceAll(/(x-request-id: |"request_id":")[0-9a-f-]{36}/g, "$1(id)")
    .replaceAll(/\r\nDate: [^\r]{29}\r\n/g, "\r\nDate: (date)\r\n")
    .replaceAll(/("units";r=)\d+/g, "$1(left)");
}
