import { hash } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, type RequestOptions, request } from "node:http";
import {
  API_KEY_PREFIX,
  SESSION_TOKEN_PREFIX,
} from "../../src/platform/shared/text/credentials.ts";

/**
 * A template of requests: each request has a random account of the store in place of `{account}`, a
 * random pair in place of `{pair}` and a random time of the past in place of `{time}`.
 */
export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Mixed traffic: a closed loop sends one of these, in turn, as every `OTHER_EVERY`th request. */
  readonly others?: readonly LoadRequest[];
}

export const OTHER_EVERY = 20;

/** The digits of each slot: all requests of a template have the same length. */
export const SLOTS = {
  account: { digits: 64, base: 16 },
  pair: { digits: 5, base: 10 },
} as const;

export type SlotName = keyof typeof SLOTS;

/** The times of the slot `{time}`, in seconds since 1970; each has 29 characters. */
export const TIMES = { from: Date.UTC(2001, 0, 5) / 1000, to: Date.UTC(2025, 11, 31) / 1000 };

/** What is in the slots of a request. */
type Picked = Readonly<Record<SlotName, number>> & { readonly time?: number };

/** The number of accounts and pairs in a store. */
export type SlotCounts = Readonly<Record<`${SlotName}s`, number>>;

/** Splits a text at its slots: every second part is a slot's name. */
export function partsOf(text: string): string[] {
  return text.split(/\{(account|pair|time)\}/);
}

/** The text with one account, one pair and one time in its slots. */
export function filled(text: string, picked: Picked): string {
  const { time = TIMES.from } = picked;
  const fill = (_: string, name: SlotName) => digitsOf(name, picked[name]);
  return text
    .replaceAll(/\{(account|pair)\}/g, fill)
    .replaceAll("{time}", new Date(time * 1000).toUTCString());
}

/** A whole request with one account and one pair in its slots. */
export function filledRequest(request: LoadRequest, picked: Picked): LoadRequest {
  return JSON.parse(filled(JSON.stringify(request), picked)) as LoadRequest;
}

/** The bytes of a request to a server, with its slots. */
export function rawRequest(url: string, { method, path, headers, body }: LoadRequest): string {
  const length = Buffer.byteLength(filled(body ?? "", { account: 0, pair: 0 }));
  const lengths = body === undefined ? {} : { "content-length": String(length) };
  const lines = Object.entries({ host: new URL(url).host, ...headers, ...lengths });
  const head = [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  return [...head, "", body ?? ""].join("\r\n");
}

/**
 * How requests are spread over accounts: evenly, or by Zipf's law (s = 1), where the account of rank
 * n gets a share in proportion to 1/n.
 */
export type Distribution = "uniform" | "zipf";

/** A prime: multiples of it scatter the ranks, so that busy accounts are not neighbors in the store. */
export const RANK_STEP = 611_953;

/** A random account and a random pair of a store. */
export function randomSlots(
  { accounts, pairs }: SlotCounts,
  distribution: Distribution = "uniform",
): Picked {
  const below = (count: number) => Math.floor(Math.random() * count);
  const rank = () => Math.floor((accounts + 1) ** Math.random());
  const account = distribution === "zipf" ? (rank() * RANK_STEP) % accounts : below(accounts);
  return { account, pair: below(pairs), time: TIMES.from + below(TIMES.to - TIMES.from) };
}

function digitsOf(name: SlotName, index: number): string {
  const { digits, base } = SLOTS[name];
  return index.toString(base).padStart(digits, "0");
}

/** The key of a bench account contains its number, so that a million keys need no list. */
export const API_KEY = `${API_KEY_PREFIX}{account}`;

export const SESSION_TOKEN = `${SESSION_TOKEN_PREFIX}{account}`;

const PATH_OF_READ = "/v1/rates/X{pair}/USD";

/** A read of a rate over REST. */
export const restRead: LoadRequest = {
  method: "GET",
  path: PATH_OF_READ,
  headers: { authorization: `ApiKey ${API_KEY}` },
};

/** The same of a past time. */
export const pastRead: LoadRequest = {
  ...restRead,
  headers: { ...restRead.headers, "accept-datetime": "{time}" },
};

/** A request for an account's usage. */
export const usageRequest: LoadRequest = {
  method: "GET",
  path: "/v1/account/usage",
  headers: { authorization: `Session ${SESSION_TOKEN}` },
};

/** The digests of an account's key and session, as the store contains them. */
export function digestsOf(account: number) {
  const digest = (text: string) => hash("sha256", filled(text, { account, pair: 0 }));
  return { apiKey: digest(API_KEY), session: digest(SESSION_TOKEN) };
}

/** @returns the status of a request, by default on a connection of its own, after its response. */
export async function statusOf(url: string, options: RequestOptions, body = ""): Promise<number> {
  const sent = request(url, { agent: false, ...options }).end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  await once(response.resume(), "end");
  return response.statusCode ?? 0;
}
