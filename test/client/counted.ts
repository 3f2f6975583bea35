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

/** No retry ends within it on a working machine; a test that waits for one gives up. */
export const AMPLE_MS = 60_000;
