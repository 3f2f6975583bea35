import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import { filledRequest, type LoadRequest, type SlotCounts } from "./requests.ts";

export interface OpenLoopSettings {
  readonly url: string;
  readonly request: LoadRequest;
  readonly counts: SlotCounts;
  /** Kept open all the time, with one request on each at most. */
  readonly connections: number;
  readonly seconds: number;
  /** Requests that arrive a second, whatever the server has answered by then. */
  readonly perSecond: number;
}

export interface OpenLoopResult {
  readonly answers: number;
  /** With 503. */
  readonly refused: number;
  /** With any other status of 400 or more, or none before the connection broke. */
  readonly wrong: number;
  /** Arrivals that found every connection waiting for an answer, and were not sent. */
  readonly unsent: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
  /** Of the answers with 503. */
  readonly refusedP99Ms: number;
}

/** Requests that are put together beforehand, and sent in turn. */
const REQUESTS = 2000;

/** So many connections are opened at a time: a listening socket's queue has an end. */
const OPENED_AT_ONCE = 100;

/** What is not answered by then, after the last arrival, counts as wrong. */
const LAST_ANSWERS_MS = 10_000;

/** A tick that comes late sends what has become due, up to so many, and lets answers in again. */
const SENT_AT_ONCE = 500;

/**
 * Sends requests as they arrive from many clients who know nothing of each other: at a steady rate,
 * however slow the answers are. Times run from when a request was due, so that a sender who is held
 * up hides nothing.
 */
export async function loadOpenly(settings: OpenLoopSettings): Promise<OpenLoopResult> {
  const requests = Array.from({ length: REQUESTS }, () => bytesOfOne(settings));
  const tally = new TableTotals();
  const lines = await openLines(settings, tally);
  const startMs = performance.now();
  let arrived = 0;
  let unsent = 0;
  while (performance.now() - startMs < settings.seconds * 1000) {
    const due = Math.floor(((performance.now() - startMs) / 1000) * settings.perSecond);
    for (let sent = 0; arrived < due && sent < SENT_AT_ONCE; sent += 1, arrived += 1) {
      const line = tally.idle.pop();
      if (line === undefined) unsent += 1;
      else line.send(requests[arrived % REQUESTS], startMs + (arrived / settings.perSecond) * 1000);
    }
    await new Promise(setImmediate);
  }
  const seconds = (performance.now() - startMs) / 1000;
  const giveUpMs = performance.now() + LAST_ANSWERS_MS;
  while (tally.idle.length + tally.broken < lines.length && performance.now() < giveUpMs) {
    await after(10);
  }
  const unanswered = lines.length - tally.idle.length - tally.broken;
  for (const line of lines) line.socket.destroy();
  return { ...tally.result(), wrong: tally.wrong + unanswered, unsent, seconds };
}

/** What came back, on all lines. */
class TableTotals {
  readonly idle: Line[] = [];
  broken = 0;
  wrong = 0;
  readonly #servedMs: number[] = [];
  readonly #refusedMs: number[] = [];

  note(status: number, tookMs: number): void {
    if (status < 400) this.#servedMs.push(tookMs);
    else if (status === 503) this.#refusedMs.push(tookMs);
    else this.wrong += 1;
  }

  result() {
    const served = Float64Array.from(this.#servedMs).sort();
    const refused = Float64Array.from(this.#refusedMs).sort();
    return {
      answers: served.length,
      refused: refused.length,
      p50Ms: quantile(served, 0.5),
      p99Ms: quantile(served, 0.99),
      worstMs: quantile(served, 1),
      refusedP99Ms: quantile(refused, 0.99),
    };
  }
}

/** A connection with one request on it at a time. */
class Line {
  readonly socket: Socket;
  readonly #tally: TableTotals;
  #dueMs = Number.NaN;
  #text = "";

  constructor(socket: Socket, tally: TableTotals) {
    this.socket = socket;
    this.#tally = tally;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => this.#hear(text));
    socket.on("error", () => undefined);
    socket.on("close", () => this.#end());
    tally.idle.push(this);
  }

  send(bytes: Buffer | undefined, dueMs: number): void {
    this.#dueMs = dueMs;
    this.socket.write(bytes ?? "");
  }

  #hear(text: string): void {
    this.#text = this.#text === "" ? text : this.#text + text;
    const headEnd = this.#text.indexOf("\r\n\r\n");
    if (headEnd === -1) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#text)?.[1] ?? "0";
    if (this.#text.length < headEnd + 4 + Number(length)) return;
    this.#tally.note(Number(this.#text.slice(9, 12)), performance.now() - this.#dueMs);
    this.#text = "";
    this.#tally.idle.push(this);
  }

  #end(): void {
    const at = this.#tally.idle.indexOf(this);
    if (at === -1) this.#tally.wrong += 1;
    else this.#tally.idle.splice(at, 1);
    this.#tally.broken += 1;
  }
}

async function openLines(settings: OpenLoopSettings, tally: TableTotals): Promise<Line[]> {
  const { hostname, port } = new URL(settings.url);
  const lines: Line[] = [];
  while (lines.length < settings.connections) {
    const count = Math.min(OPENED_AT_ONCE, settings.connections - lines.length);
    const sockets = Array.from({ length: count }, () => {
      return connect({ host: hostname, port: Number(port), noDelay: true });
    });
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    for (const socket of sockets) lines.push(new Line(socket, tally));
  }
  return lines;
}

function bytesOfOne({ url, request, counts }: OpenLoopSettings): Buffer {
  const at = (count: number) => Math.floor(Math.random() * count);
  const picked = { account: at(counts.accounts), pair: at(counts.pairs) };
  const { method, path, headers, body = "" } = filledRequest(request, picked);
  const length = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const all = { host: new URL(url).host, ...headers, ...length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, "", body].join("\r\n"));
}

function quantile(sorted: Float64Array, part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
