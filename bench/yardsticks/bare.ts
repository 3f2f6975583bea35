// The main yardstick: node:http with a static response of a rate's size, without API keys, charges
// or a store.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { announce } from "./announce.ts";
import { staticRate } from "./static-rate.ts";

const server = createServer((_request, response) => {
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(staticRate),
  });
  response.end(staticRate);
});

server.listen(0, "127.0.0.1", () => {
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
