import assert from "node:assert/strict";
import { test } from "node:test";
import { playSmtp } from "../../test/support/fake-smtp-server.ts";
import { eventually, tokenOf } from "../../test/support/mails.ts";
import { serve, temporaryDirectory } from "../../test/support/process.ts";

const EMAIL = "ada@example.org";

test("an accepted mail arrives after a kill -9 and a restart, and its link works", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  const stopped = await playSmtp();
  await stopped[Symbol.asyncDispose]();
  const env = { SMTP_URL: stopped.url };
  {
    await using killed = await serve({ dataDirectory, env });
    await killed.register(EMAIL);
    await killed.kill();
  }

  await using smtp = await playSmtp({ port: stopped.port });
  await using server = await serve({ dataDirectory, env });
  const arrived = await eventually("mail", () => smtp.received[0]);

  assert.deepEqual(arrived.to, [EMAIL]);
  const json = { token: tokenOf(arrived.mail) };
  const answer = await server.call("POST", "/v1/auth/verification", { json });
  assert.equal(answer.status, 204, answer.text);
});

test("a mail whose delivery a kill -9 interrupted is sent again as the same mail", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  await using smtp = await playSmtp();
  smtp.behave("hang in DATA");
  const env = { SMTP_URL: smtp.url };
  {
    await using killed = await serve({ dataDirectory, env });
    await killed.register(EMAIL);
    await eventually("attempt", () => smtp.attempts() || undefined);
    await killed.kill();
  }
  assert.deepEqual(smtp.received, []);

  smtp.behave("accept");
  await using server = await serve({ dataDirectory, env });
  const arrived = await eventually("mail", () => smtp.received[0]);

  assert.equal(smtp.attempts(), 2);
  const json = { token: tokenOf(arrived.mail) };
  const answer = await server.call("POST", "/v1/auth/verification", { json });
  assert.equal(answer.status, 204, answer.text);
  assert.equal((await server.stop()).exitCode, 0);
  assert.equal(smtp.received.length, 1);
});
