import { get } from "node:http";
import { isIPv6 } from "node:net";

/** A server that needs longer cannot serve its clients. */
const HEALTH_TIMEOUT_MS = 3000;

/** What a server listens on when it listens on every address: no client can connect to these. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * Asks the server on an address whether it is alive.
 *
 * @param host as configured: an address or a name.
 * @returns the URL that was asked, and why the server is not alive; undefined if it is.
 */
export async function checkHealth(
  host: string,
  port: number,
): Promise<{ readonly url: string; readonly problem: string | undefined }> {
  const reachable = LOOPBACK_OF[host] ?? host;
  const url = `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}/healthz`;
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const asked = { host: reachable, port, path: "/healthz" };
  const request = get({ ...asked, agent: false, timeout: HEALTH_TIMEOUT_MS }, (response) => {
    response.on("error", () => undefined).resume();
    const { statusCode } = response;
    resolve(statusCode === 200 ? undefined : `the response is ${statusCode}`);
  });
  request.on("timeout", () => {
    resolve(`there is no response within ${HEALTH_TIMEOUT_MS / 1000} s`);
    request.destroy();
  });
  request.on("error", (error) => resolve(error.message));
  return { url, problem: await promise };
}
