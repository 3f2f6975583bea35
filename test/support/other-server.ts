import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that is not Kurs: a proxy in its place, of a page, or of a model's vendor. */
export async function startServer(listener: RequestListener) {
  // It closes no idle connection: a client that is slow to look would reuse one that has ended.
  const server = createServer({ keepAliveTimeout: 0 }, listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
