// The cost of the framework alone: the route of a rate, with a static response.
import Fastify from "fastify";
import { announce } from "./announce.ts";
import { staticRate } from "./static-rate.ts";

const app = Fastify();
app.get("/v1/rates/:base/:quote", (_request, reply) => {
  reply.type("application/json; charset=utf-8").send(staticRate);
});
announce(await app.listen({ port: 0, host: "127.0.0.1" }));
