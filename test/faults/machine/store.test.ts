import assert from "node:assert/strict";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { temporaryDirectory } from "../../support/process.ts";
import {
  assertRead,
  assertServed,
  assertUnavailable,
  fillsUp,
  limit,
  startServer,
} from "./faults.ts";

suite("a store that cannot be written", { concurrency: 2 }, () => {
  test("while writes fail with EFBIG, reads return 503 uncharged and /readyz 503; then service resumes", async () => {
    await using server = await startServer();
    const customer = await server.newCustomer("ada@example.org");
    await assertRead(customer);

    await limit(server.program, "fsize", 4096);
    await assertUnavailable(customer);
    const json = { email: "new@example.org", password: "correct horse battery" };
    const rejected = await customer.client.call("POST", "/v1/auth/register", { json });
    assertFailure(rejected, 503, "temporarily_unavailable");
    assert.equal(await customer.usedUnits(), 1);

    await limit(server.program, "fsize", "unlimited");
    await assertServed(customer);
    assert.equal(await customer.usedUnits(), 2);
    await customer.client.openSession("new@example.org");
    await server.stopWell();
  });

  test("on a full disk (a small tmpfs or a limit on file size) reads return 503, and no charge is lost", async (t) => {
    await using directory = await temporaryDirectory();
    await using full = await fillsUp(directory.path);
    t.diagnostic(full.method);
    const customer = await full.server.newCustomer("ada@example.org");
    await assertRead(customer);

    await full.fill();
    // Some pages may still fit, so some reads may still be charged.
    let answered = 1;
    for (let tries = 0; ; tries += 1) {
      assert.ok(tries < 5000, "the disk did not fill up");
      const { status } = await customer.read();
      if (status === 503) break;
      assert.equal(status, 200);
      answered += 1;
    }
    await assertUnavailable(customer);
    assert.equal(await customer.usedUnits(), answered);

    await full.empty();
    await assertServed(customer);
    assert.equal(await customer.usedUnits(), answered + 1);
    await full.server.stopWell();
  });

  for (const name of ["kurs.db", "kurs.db-wal"]) {
    test(`while ${name} is moved away, reads return 503; once it is back, service resumes without loss`, async () => {
      await using directory = await temporaryDirectory();
      await using server = await startServer({ dataDirectory: directory.path });
      const customer = await server.newCustomer("ada@example.org");
      await assertRead(customer);
      const file = join(directory.path, name);

      await rename(file, `${file}.away`);
      await assertUnavailable(customer);
      await rename(`${file}.away`, file);

      await assertServed(customer);
      assert.equal(await customer.usedUnits(), 2);
      assert.match(await server.stopWell(), /was removed or replaced while it was in use/);
    });
  }
});
