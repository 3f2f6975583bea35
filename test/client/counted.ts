import { type ClientOptions, createClient } from "../../client/src/index.ts";

/** A client that lists its requests, each as `GET /v1/…`. */
export function countedClient(options: ClientOptions) {
  const requests: string[] = [];
  const { fetch: send = fetch } = options;
  const counted: typeof fetch = (input, init) => {
    requests.push(`${init?.method} ${new URL(String(input)).pathname}`);
    return send(input, init);
  };
  return { kurs: createClient({ ...options, fetch: counted }), requests };
}

/** A response: its status, its headers with values, and its body. */
export type Reply = readonly [
  status: number,
  headers: Record<string, string>,
  body?: string | null,
];

/** A fetch that gets these responses one after the other, and the last one again and again. */
export function answering(...replies: readonly Reply[]): typeof fetch {
  let count = 0;
  return async () => {
    const [status, headers, body = null] = replies[Math.min(count, replies.length - 1)] ?? [
      500,
      {},
    ];
    count += 1;
    return new Response(body, { status, headers });
  };
}

export const EUR_USD = '{"base":"EUR","quote":"USD","rate":"1"}';

export const failure = (code: string) => `{"code":"${code}","message":"Later.","request_id":"1"}`;

/** No retry ends within it on a working machine; a test that waits for one gives up. */
export const AMPLE_MS = 120_000;
