import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { filled, type LoadRequest, randomSlots, rawRequest, type SlotCounts } from "./requests.ts";

export interface OpenLoopSettings {
  readonly url: string;
  readonly request: LoadRequest;
  readonly counts: SlotCounts;
  /** Kept open throughout, with at most one request in flight on each. */
  readonly connections: number;
  readonly seconds: number;
  /** Requests that become due per second, however many responses are outstanding. */
  readonly perSecond: number;
}

export interface OpenLoopResult {
  readonly succeeded: number;
  /** Responses with 503. */
  readonly rejected: number;
  /** Other responses of 400 or more, broken connections and missing responses. */
  readonly wrong: number;
  /** Requests that were not sent because every connection had one in flight. */
  readonly unsent: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
  /** Of the responses with 503. */
  readonly rejectedP99Ms: number;
}

/** Requests that are composed beforehand and then repeated. */
const REQUESTS = 2000;

/** Connections that are opened at a time: a listening socket's queue is limited. */
const OPENED_AT_ONCE = 100;

/** A response that comes later than this after the last request counts as wrong. */
const LAST_RESPONSES_MS = 10_000;

/** Requests that a late event-loop iteration sends at most before it reads responses again. */
const SENT_AT_ONCE = 500;

/**
 * An open loop: sends requests at a constant rate, as many independent clients would, however slow
 * the responses are. Times are measured from when a request was due, so that a delayed sender hides
 * no waiting.
 */
export async function runOpenLoop(settings: OpenLoopSettings): Promise<OpenLoopResult> {
  const template = rawRequest(settings.url, settings.request);
  const requests = Array.from({ length: REQUESTS }, () =>
    Buffer.from(filled(template, randomSlots(settings.counts))),
  );
  const totals = new Totals();
  const connections = await openConnections(settings, totals);
  const startMs = performance.now();
  let arrived = 0;
  let unsent = 0;
  while (performance.now() - startMs < settings.seconds * 1000) {
    const due = Math.floor(((performance.now() - startMs) / 1000) * settings.perSecond);
    for (let sent = 0; arrived < due && sent < SENT_AT_ONCE; sent += 1, arrived += 1) {
      const connection = totals.idle.pop();
      const dueMs = startMs + (arrived / settings.perSecond) * 1000;
      if (connection === undefined) unsent += 1;
      else connection.send(requests[arrived % REQUESTS], dueMs);
    }
    await new Promise(setImmediate);
  }
  const seconds = (performance.now() - startMs) / 1000;
  const giveUpMs = performance.now() + LAST_RESPONSES_MS;
  while (totals.idle.length + totals.closed < connections.length && performance.now() < giveUpMs) {
    await sleep(10);
  }
  const missing = connections.length - totals.idle.length - totals.closed;
  for (const { socket } of connections) socket.destroy();
  return { ...totals.result(), wrong: totals.wrong + missing, unsent, seconds };
}

/** The responses on all connections. */
class Totals {
  readonly idle: LoadConnection[] = [];
  closed = 0;
  wrong = 0;
  readonly #succeededMs: number[] = [];
  readonly #rejectedMs: number[] = [];

  record(status: number, tookMs: number): void {
    if (status < 400) this.#succeededMs.push(tookMs);
    else if (status === 503) this.#rejectedMs.push(tookMs);
    else this.wrong += 1;
  }

  result() {
    const succeeded = Float64Array.from(this.#succeededMs).sort();
    const rejected = Float64Array.from(this.#rejectedMs).sort();
    return {
      succeeded: succeeded.length,
      rejected: rejected.length,
      p50Ms: quantile(succeeded, 0.5),
      p99Ms: quantile(succeeded, 0.99),
      worstMs: quantile(succeeded, 1),
      rejectedP99Ms: quantile(rejected, 0.99),
    };
  }
}

/** A connection with at most one request in flight. */
class LoadConnection {
  readonly socket: Socket;
  readonly #totals: Totals;
  #dueMs = Number.NaN;
  #text = "";

  constructor(socket: Socket, totals: Totals) {
    this.socket = socket;
    this.#totals = totals;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => this.#receive(text));
    socket.on("error", () => undefined);
    socket.on("close", () => this.#close());
    totals.idle.push(this);
  }

  send(bytes: Buffer | undefined, dueMs: number): void {
    this.#dueMs = dueMs;
    this.socket.write(bytes ?? "");
  }

  #receive(text: string): void {
    this.#text = this.#text === "" ? text : this.#text + text;
    const headEnd = this.#text.indexOf("\r\n\r\n");
    if (headEnd === -1) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#text)?.[1] ?? "0";
    if (this.#text.length < headEnd + 4 + Number(length)) return;
    this.#totals.record(Number(this.#text.slice(9, 12)), performance.now() - this.#dueMs);
    this.#text = "";
    this.#totals.idle.push(this);
  }

  #close(): void {
    const at = this.#totals.idle.indexOf(this);
    if (at === -1) this.#totals.wrong += 1;
    else this.#totals.idle.splice(at, 1);
    this.#totals.closed += 1;
  }
}

async function openConnections(
  settings: OpenLoopSettings,
  totals: Totals,
): Promise<LoadConnection[]> {
  const { hostname, port } = new URL(settings.url);
  const opened: LoadConnection[] = [];
  while (opened.length < settings.connections) {
    const count = Math.min(OPENED_AT_ONCE, settings.connections - opened.length);
    const sockets = Array.from({ length: count }, () => {
      return connect({ host: hostname, port: Number(port), noDelay: true });
    });
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    for (const socket of sockets) opened.push(new LoadConnection(socket, totals));
  }
  return opened;
}

function quantile(sorted: Float64Array, fraction: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)] ?? 0;
}
