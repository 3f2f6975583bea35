import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import tls from "node:tls";

/** Proxies a client to a server and records what the client sends. @param front enables TLS. */
export async function wiretap(
  port: number,
  front?: { readonly key: Buffer; readonly cert: Buffer },
) {
  let heard = "";
  let connections = 0;
  const sockets = new Set<Socket>();
  const relay = (client: Socket) => {
    connections += 1;
    const onward = connect(port, "127.0.0.1");
    for (const socket of [client, onward]) sockets.add(socket);
    client.on("data", (bytes) => {
      heard += bytes.toString("latin1");
    });
    client.on("error", () => onward.destroy()).pipe(onward);
    onward.on("error", () => client.destroy()).pipe(client);
  };
  const server = front === undefined ? createServer(relay) : tls.createServer(front, relay);
  return {
    port: await portOf(server),
    heard: () => heard,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Listens on a free port of loopback. */
export async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}
