import assert from "node:assert/strict";
import { test } from "node:test";
import fastify from "fastify";
import type { App } from "../../../../src/platform/http/fastify.ts";
import { commonHeaders } from "../../../../src/platform/http/headers.ts";
import { addLoadShedding } from "../../../../src/platform/http/overload/load-shedding.ts";
import { createReplyWriter } from "../../../../src/platform/http/response/reply.ts";
import { clientOf } from "../../../support/client.ts";

test("an iteration that admits nothing more still serves the routes that are never shed", async () => {
  const app = fastify({ forceCloseConnections: true }) as unknown as App;
  const lastOfNone = { endsWith: () => false };
  const replyWriter = createReplyWriter(commonHeaders, () => undefined, lastOfNone);
  replyWriter.addCommonHeaders(app);
  addLoadShedding(app, {
    admit: () => false,
    paceRejection: (reject) => reject(),
    sendFailure: replyWriter.sendFailure,
  });
  let served = 0;
  app.get("/shed", () => {
    served += 1;
    return "served";
  });
  app.get("/healthz", { config: { isNeverShed: true } }, () => "healthy");
  await using _closed = { [Symbol.asyncDispose]: () => app.close() };
  const { get } = clientOf(await app.listen({ port: 0, host: "127.0.0.1" }));

  assert.equal((await get("/shed")).status, 503);
  assert.equal(served, 0);
  const { status, text } = await get("/healthz");
  assert.deepEqual([status, text], [200, "healthy"]);
});
