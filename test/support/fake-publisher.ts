import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The publisher's behaviour for one request. */
export type Behaviour = (response: ServerResponse, headers: IncomingHttpHeaders) => void;

/** A real HTTP server on loopback that plays a publisher; a test can change its behaviour. */
export async function playPublisher(first: Behaviour) {
  let behaviour = first;
  const requests: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    requests.push(request.headers);
    behaviour(response, request.headers);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/rates`,
    /** The headers of every request so far. */
    requests,
    behave(next: Behaviour): void {
      behaviour = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Responds with a body. */
export const body =
  (text: string, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) => {
    response.writeHead(200, headers).end(text);
  };

/** The ECB's daily layout with the rates of one day. */
export function ecbDay(day: string, figures: Readonly<Record<string, string>>): string {
  const cubes = Object.entries(figures).map(
    ([currency, rate]) => `<Cube currency='${currency}' rate='${rate}'/>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <Cube><Cube time='${day}'>${cubes.join("")}</Cube></Cube>
</gesmes:Envelope>`;
}
