import { hash } from "node:crypto";
import { SESSION_TOKEN_PREFIX } from "../../src/accounts/rules.ts";
import { API_KEY_PREFIX } from "../../src/api-keys/rules.ts";

/**
 * A request of which no two need be the same: wherever it says `{account}` or `{pair}`, one of the
 * store's accounts or pairs stands, picked at random each time.
 */
export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The digits of each slot, so that a request is of one length whatever stands in them. */
export const SLOTS = {
  account: { digits: 64, base: 16 },
  pair: { digits: 5, base: 10 },
} as const;

export type SlotName = keyof typeof SLOTS;

/** How many accounts and pairs there are to pick from. */
export type SlotCounts = Readonly<Record<`${SlotName}s`, number>>;

/** A text with slots, cut before and after each: every second part is a slot's name. */
export function partsOf(text: string): string[] {
  return text.split(/\{(account|pair)\}/);
}

/** The text with one account and one pair in its slots. */
export function filled(text: string, picked: Readonly<Record<SlotName, number>>): string {
  const fill = (_: string, name: SlotName) => digitsOf(name, picked[name]);
  return text.replaceAll(/\{(account|pair)\}/g, fill);
}

/** A whole request with one account and one pair in its slots. */
export function filledRequest(
  request: LoadRequest,
  picked: Readonly<Record<SlotName, number>>,
): LoadRequest {
  return JSON.parse(filled(JSON.stringify(request), picked)) as LoadRequest;
}

export function digitsOf(name: SlotName, index: number): string {
  const { digits, base } = SLOTS[name];
  return index.toString(base).padStart(digits, "0");
}

/** A key of a bench account is its number, so that any of a million is known by arithmetic. */
export const API_KEY = `${API_KEY_PREFIX}{account}`;

const SESSION_TOKEN = `${SESSION_TOKEN_PREFIX}{account}`;

export const PATH_OF_READ = "/v1/rates/X{pair}/USD";

/** A read of a rate over REST. */
export const restRead: LoadRequest = {
  method: "GET",
  path: PATH_OF_READ,
  headers: { authorization: `ApiKey ${API_KEY}` },
};

/** A look at an account's usage. */
export const usageRequest: LoadRequest = {
  method: "GET",
  path: "/v1/account/usage",
  headers: { authorization: `Session ${SESSION_TOKEN}` },
};

/** The digests of an account's key and session, as the store has them. */
export function digestsOf(account: number) {
  const digest = (text: string) => hash("sha256", filled(text, { account, pair: 0 }));
  return { apiKey: digest(API_KEY), session: digest(SESSION_TOKEN) };
}
