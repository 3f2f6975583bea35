import assert from "node:assert/strict";
import { test } from "node:test";
import { playSmtp } from "../../test/support/fake-smtp-server.ts";
import { eventually, tokenOf } from "../../test/support/mails.ts";
import { serve, temporaryDirectory } from "../../test/support/process.ts";

for (const [what, isDown] of [
  ["before its delivery, while the mail server is down,", true],
  ["during its delivery", false],
] as const) {
  test(`a mail that kill -9 interrupted ${what} arrives once, and its link works`, async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = directory.path;
    await using first = await playSmtp();
    first.behave("hang in DATA");
    const { url, port } = first;
    if (isDown) await first[Symbol.asyncDispose]();
    const env = { SMTP_URL: url };
    {
      await using killed = await serve({ dataDirectory, env });
      await killed.register("ada@example.org");
      if (!isDown) await eventually("attempt", () => first.attempts() || undefined);
      await killed.kill();
    }
    await using second = isDown ? await playSmtp({ port }) : undefined;
    const smtp = second ?? first;
    assert.deepEqual(smtp.received, []);

    smtp.behave("accept");
    await using server = await serve({ dataDirectory, env });
    const arrived = await eventually("mail", () => smtp.received[0]);

    assert.deepEqual(arrived.to, ["ada@example.org"]);
    const json = { token: tokenOf(arrived.mail) };
    const answer = await server.call("POST", "/v1/auth/verification", { json });
    assert.equal(answer.status, 204, answer.text);
    assert.equal((await server.stop()).exitCode, 0);
    assert.equal(smtp.received.length, 1);
  });
}
