import { connect, type Socket } from "node:net";
import type { Answer } from "../support/service.ts";

/** A server that says nothing for so long is taken for hung. */
const PATIENCE_MS = 60_000;

/** What came of bytes that were sent. */
export interface Exchange {
  readonly answers: readonly Answer[];
  /** What came behind the last answer and is none. */
  readonly rest: string;
  /** Whether the server has closed the connection. */
  readonly isClosed: boolean;
}

/** A connection on which one request follows the other. */
export class Line {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #isClosed = false;
  #look: () => void = () => undefined;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      allowHalfOpen: true,
    });
    this.#socket.on("data", (bytes: Buffer) => {
      this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
      this.#look();
    });
    const close = () => {
      this.#isClosed = true;
      this.#look();
    };
    // A connection that is reset is closed, too; what came before is what counts.
    this.#socket.on("end", close).on("error", close).on("close", close);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends one request and waits for its answer, and for the end where the answer announces it. */
  async ask(request: Buffer, isHead: boolean): Promise<Exchange> {
    this.#socket.write(request);
    await this.#until("answer", () => lengthOf(this.#received, isHead) !== undefined);
    const length = lengthOf(this.#received, isHead);
    if (length === undefined) return { answers: [], rest: this.#take(), isClosed: true };
    const answer = parse(this.#received.subarray(0, length));
    this.#received = this.#received.subarray(length);
    if (answer.headers.connection === "close") await this.#until("end", () => this.#isClosed);
    return { answers: [answer], rest: this.#take(), isClosed: this.#isClosed };
  }

  /** Sends bytes of any kind, ends the sending side, and keeps all that comes until the end. */
  async pour(bytes: Buffer): Promise<Exchange> {
    this.#socket.end(bytes);
    await this.#until("end", () => this.#isClosed);
    const answers: Answer[] = [];
    for (;;) {
      const length = lengthOf(this.#received, isWithoutBody(this.#received));
      if (length === undefined) return { answers, rest: this.#take(), isClosed: true };
      answers.push(parse(this.#received.subarray(0, length)));
      this.#received = this.#received.subarray(length);
    }
  }

  /** Leaves nothing of the connection waiting in the system. */
  drop(): void {
    if (!this.#socket.destroyed) this.#socket.resetAndDestroy();
  }

  #take(): string {
    const rest = this.#received.toString("latin1");
    this.#received = Buffer.alloc(0);
    return rest;
  }

  async #until(what: string, isThere: () => boolean): Promise<void> {
    if (isThere() || this.#isClosed) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = setTimeout(() => {
      reject(new Error(`no ${what} in ${PATIENCE_MS} ms: ${this.#received.toString("latin1")}`));
    }, PATIENCE_MS);
    this.#look = () => {
      if (isThere() || this.#isClosed) resolve();
    };
    await promise.finally(() => clearTimeout(late));
  }
}

const END_OF_HEAD = Buffer.from("\r\n\r\n");

/** @returns the bytes of the first answer, or `undefined` as long as it is not whole. */
function lengthOf(received: Buffer, isHead: boolean): number | undefined {
  const headEnd = received.indexOf(END_OF_HEAD);
  if (headEnd < 0) return undefined;
  const head = received.toString("latin1", 0, headEnd + 2);
  const stated = isHead ? undefined : /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
  const length = headEnd + END_OF_HEAD.length + Number(stated ?? 0);
  return received.length < length ? undefined : length;
}

/** Of broken bytes it is not known which answer is to a HEAD: the next one follows its head. */
function isWithoutBody(received: Buffer): boolean {
  const bodyStart = received.indexOf(END_OF_HEAD) + END_OF_HEAD.length;
  const next = received.toString("latin1", bodyStart, bodyStart + 7);
  return next === "" || next === "HTTP/1.";
}

function parse(bytes: Buffer): Answer {
  const headEnd = bytes.indexOf(END_OF_HEAD);
  const [start = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  const text = bytes.toString("utf8", headEnd + END_OF_HEAD.length);
  const isJson = headers["content-type"]?.startsWith("application/json") && text !== "";
  return { status: Number(start.split(" ")[1]), headers, text, body: bodyOf(text, isJson) };
}

function bodyOf(text: string, isJson: boolean | undefined): Answer["body"] {
  if (!isJson) return {};
  try {
    return JSON.parse(text) as Answer["body"];
  } catch {
    return { "this is no JSON": text };
  }
}
