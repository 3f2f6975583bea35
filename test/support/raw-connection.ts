import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Answer, answerOf } from "./client.ts";

/** A server that has not sent what a test waits for by then hangs, on any machine. */
const WAIT_MS_MAX = 120_000;

/** One response as sent on the wire. */
export interface WireAnswer extends Answer {
  /** The lines of its head after the status line, in order. */
  readonly lines: readonly string[];
}

/** Responses that followed one another until the end of the connection. */
export interface Poured {
  readonly answers: WireAnswer[];
  /** What came behind the last response and is none. */
  readonly rest: string;
}

/** @param allowHalfOpen whether the client keeps its side open when the server ends its own. */
export async function openWire(url: string, allowHalfOpen = false): Promise<Wire> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen });
  await once(socket, "connect");
  return new Wire(socket);
}

/**
 * Writes a text on a connection of its own as it is: what no HTTP client would send.
 *
 * @param hangUp ends the sending side after the text, as a client that is cut off does.
 * @returns the responses that came until the server closed the connection.
 */
export async function sendRaw(url: string, text: string, hangUp = false): Promise<WireAnswer[]> {
  using wire = await openWire(url);
  return await wire.sendToEnd(text, hangUp);
}

/** A bare connection: it sends the bytes it is given, in as many writes, and keeps what comes. */
export class Wire implements Disposable {
  readonly socket: Socket;
  #text = "";
  #isOver = false;
  /** In order: of two that wait for a response the first one gets it. */
  readonly #waiting = new Set<() => void>();

  constructor(socket: Socket) {
    this.socket = socket;
    const look = () => {
      for (const waiting of this.#waiting) waiting();
    };
    const end = () => {
      this.#isOver = true;
      look();
    };
    // Each character is a byte: Content-Length counts bytes.
    socket.setEncoding("latin1").on("data", (part: string) => {
      this.#text += part;
      look();
    });
    // A reset is the end of a connection, too; what came before it is what counts.
    socket.on("end", end).on("close", end).on("error", end);
  }

  /** All that came and was not yet taken as a response, in latin1. */
  received(): string {
    return this.#text;
  }

  /** Whether the server has ended its side, or the connection broke. */
  isOver(): boolean {
    return this.#isOver;
  }

  /** @param bytes in latin1, where they are a text. */
  send(bytes: string | Buffer): void {
    this.socket.write(bytes, "latin1");
  }

  /** Reads a rate; reads that are asked for together go out together. */
  readRate(pair: string, apiKey: string): Promise<WireAnswer> {
    this.socket.cork();
    process.nextTick(() => this.socket.uncork());
    this.send(plainRead(apiKey, pair));
    return this.answer();
  }

  /** Waits for one whole response, and takes it. @param isHead whether it has no body. */
  answer(isHead = false): Promise<WireAnswer> {
    return this.#until("response", () => {
      const length = lengthOf(this.#text, isHead);
      return length === undefined ? undefined : this.#take(length);
    });
  }

  /** Waits for one whole response, or the end, and leaves it. */
  async untilAnswer(): Promise<void> {
    await this.#until("response", () => lengthOf(this.#text) ?? (this.#isOver || undefined));
  }

  /** Waits until so many bytes have come, or the connection is closed. */
  async untilBytes(count: number): Promise<void> {
    const isThere = () => this.#text.length >= count || this.#isOver || undefined;
    await this.#until(`${count} bytes`, isThere);
  }

  /** Waits until the server has ended its side. */
  async untilEnd(): Promise<void> {
    await this.#until("end", () => this.#isOver || undefined);
  }

  /** Sends bytes of any kind, ends the sending side if told to, and takes all that comes. */
  async pour(bytes: Buffer, hangUp = true): Promise<Poured> {
    if (hangUp) this.socket.end(bytes);
    else this.send(bytes);
    await this.untilEnd();
    const answers: WireAnswer[] = [];
    for (;;) {
      // It is not known which response is to a HEAD: the next one follows its head.
      const behindHead = this.#text.slice(this.#text.indexOf("\r\n\r\n") + 4);
      const isHead = behindHead === "" || behindHead.startsWith("HTTP/1.");
      const length = lengthOf(this.#text, isHead);
      if (length === undefined) return { answers, rest: this.#text };
      answers.push(this.#take(length));
    }
  }

  /** As `sendRaw`, on this connection. */
  async sendToEnd(text: string, hangUp = false): Promise<WireAnswer[]> {
    const { answers, rest } = await this.pour(Buffer.from(text), hangUp);
    if (this.socket.errored) throw this.socket.errored;
    if (rest === "") return answers;
    // Without a length the response lasts until the end of the connection.
    const last = answers.pop();
    if (last === undefined || "content-length" in last.headers) throw new Error(`rest: ${rest}`);
    const whole = last.text + Buffer.from(rest, "latin1").toString();
    return [
      ...answers,
      Object.assign(answerOf(last.status, last.headers, whole), { lines: last.lines }),
    ];
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  #take(length: number): WireAnswer {
    const answer = parse(this.#text.slice(0, length));
    this.#text = this.#text.slice(length);
    return answer;
  }

  /** Waits for something in what comes. @throws when it is over without it. */
  #until<Found>(what: string, find: () => Found | undefined): Promise<Found> {
    const { promise, resolve, reject } = Promise.withResolvers<Found>();
    const told = () => `no ${what}, but ${JSON.stringify(this.#text.slice(0, 4000))}`;
    const late = setTimeout(() => reject(new Error(told())), WAIT_MS_MAX);
    const look = () => {
      const found = find();
      if (found !== undefined) resolve(found);
      else if (this.#isOver) reject(new Error(`over, ${told()}`));
      else return;
      clearTimeout(late);
      this.#waiting.delete(look);
    };
    this.#waiting.add(look);
    look();
    return promise;
  }
}

/** A read of a rate, and nothing else. */
export function plainRead(apiKey: string, pair = "EUR/USD"): string {
  return `GET /v1/rates/${pair} HTTP/1.1\r\nHost: kurs\r\nAuthorization: ApiKey ${apiKey}\r\n\r\n`;
}

/** @returns the length of the first response, or `undefined` while it is incomplete. */
function lengthOf(text: string, isHead = false): number | undefined {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0 || !text.startsWith("HTTP/1.")) return undefined;
  const stated = /\r\ncontent-length: *(\d+)\r\n/i.exec(text.slice(0, headEnd + 2))?.[1] ?? "0";
  const length = headEnd + 4 + (isHead ? 0 : Number(stated));
  return text.length < length ? undefined : length;
}

function parse(text: string): WireAnswer {
  const headEnd = text.indexOf("\r\n\r\n");
  const [start = "", ...lines] = text.slice(0, headEnd).split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  const body = Buffer.from(text.slice(headEnd + 4), "latin1").toString();
  return Object.assign(answerOf(Number(start.split(" ")[1]), headers, body), { lines });
}

/** Takes out what no two responses share: the request's id, the time, the units that are left. */
export function comparable(text: string): string {
  return text
    .replaceAll(/(x-request-id: |"request_id":")[0-9a-f-]{36}/g, "$1(id)")
    .replaceAll(/\r\nDate: [^\r]{29}\r\n/g, "\r\nDate: (date)\r\n")
    .replaceAll(/("units";r=)\d+/g, "$1(left)");
}
