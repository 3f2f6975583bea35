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
  test("writes that the system refuses with EFBIG: 503, uncharged, not ready; then all goes on", async () => {
    await using server = await startServer();
    const customer = await server.newCustomer("ada@example.org");
    await assertRead(customer);

    await limit(server.program, "fsize", 4096);
    await assertUnavailable(customer);
    const json = { email: "new@example.org", password: "correct horse battery" };
    const refused = await customer.client.call("POST", "/v1/auth/register", { json });
    assertFailure(refused, 503, "temporarily_unavailable");
    assert.equal(await customer.usedUnits(), 1);

    await limit(server.program, "fsize", "unlimited");
    await assertServed(customer);
    assert.equal(await customer.usedUnits(), 2);
    await customer.client.openSession("new@example.org");
    await server.stopWell();
  });

  test("a full disk (a small tmpfs where one may be mounted, else a limit on files) costs 503s and nothing else", async (t) => {
    await using directory = await temporaryDirectory();
    await using full = await fillsUp(directory.path);
    t.diagnostic(full.way);
    const customer = await full.server.newCustomer("ada@example.org");
    await assertRead(customer);

    await full.fill();
    // Some pages may still fit; the charges that did are counted.
    let answered = 1;
    for (let tries = 0; ; tries += 1) {
      assert.ok(tries < 5000, "the disk is never full");
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
    test(`${name} moved away under the server: 503 until it is back, and nothing is lost`, async () => {
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
