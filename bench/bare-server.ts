// The yardstick: node:http with a static answer of a rate's size, without a key, a charge or a
// store. Prints its address as a JSON line, as Kurs does.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const body = JSON.stringify({
  base: "EUR",
  quote: "USD",
  rate: "1.1476",
  as_of: "2026-03-13T15:00:00.000000000Z",
  type: "direct",
});

const server = createServer((_request, response) => {
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
});

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ msg: "listening", url: `http://127.0.0.1:${port}` }));
});
