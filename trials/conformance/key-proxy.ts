import { request } from "node:http";
import { startServer } from "../../test/support/other-server.ts";

/**
 * Starts a proxy that adds a key to every request, for a client that cannot send one. It passes
 * everything except the credential unchanged, also Host and Origin.
 */
export function startKeyProxy(target: string, apiKey: string) {
  const { hostname, port } = new URL(target);
  return startServer((incoming, outgoing) => {
    const { method, url: path } = incoming;
    const headers = { ...incoming.headers, authorization: `ApiKey ${apiKey}` };
    const passed = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
}
