import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";

export const PUBLISHERS_CERTIFICATE = join(import.meta.dirname, "tls/publishers-cert.pem");
const KEY = join(import.meta.dirname, "tls/publishers-key.pem");

/** A tunnel that a client asked the proxy for: `www.ecb.europa.eu:443`. */
interface Tunnel {
  readonly to: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Plays publishers behind an HTTPS proxy, on loopback: a process with the environment of `env`
 * requests their real addresses, and reaches nothing else. The hosts are those of the certificate.
 */
export async function playPublishers(respond: (address: URL, response: ServerResponse) => void) {
  const requests: URL[] = [];
  const publishers = createTlsServer(
    { cert: readFileSync(PUBLISHERS_CERTIFICATE), key: readFileSync(KEY) },
    (request, response) => {
      const address = new URL(request.url ?? "", `https://${request.headers.host}`);
      requests.push(address);
      respond(address, response);
    },
  );
  publishers.listen(0, "127.0.0.1");
  await once(publishers, "listening");
  const tunnels: Tunnel[] = [];
  const proxy = createServer((_request, response) => void response.writeHead(405).end());
  proxy.on("connect", (request, socket) => {
    tunnels.push({ to: request.url, headers: request.headers });
    const target = connect((publishers.address() as AddressInfo).port, "127.0.0.1");
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    socket.pipe(target).pipe(socket);
    for (const end of [socket, target]) end.on("error", () => undefined);
    socket.on("close", () => target.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    host,
    env: { HTTPS_PROXY: `http://${host}`, NODE_EXTRA_CA_CERTS: PUBLISHERS_CERTIFICATE },
    tunnels,
    /** Every request so far. */
    requests,
    async [Symbol.asyncDispose]() {
      for (const server of [proxy, publishers]) {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      }
    },
  };
}
