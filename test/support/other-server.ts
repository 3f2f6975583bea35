import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Server as SocketServer } from "node:net";

/** Has a server listen on loopback. Disposing of the result ends it. */
export async function listen(server: SocketServer | Server) {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      if ("closeAllConnections" in server) server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}

/**
 * A server that is not Kurs: a proxy in its place, of a page, of a publisher, or of a model's
 * vendor. It closes no idle connection: a client that is slow to look would reuse one that ended.
 */
export const startServer = (listener: RequestListener) =>
  listen(createServer({ keepAliveTimeout: 0 }, listener));
