import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that is not Kurs: a proxy in its place, of a page, or of a model's vendor. */
export async function startServer(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
