import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { rename, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { assertFailure } from "../../../test/support/assertions.ts";
import { temporaryDirectory } from "../../../test/support/process.ts";
import {
  assertRead,
  assertServed,
  assertUnavailable,
  limit,
  MOUNT,
  mayMount,
  runThrough,
  startServer,
} from "./faults.ts";

/** Ways to replace `data`, to which `link` leads, with `copy`. */
const replacements = {
  "a link switched to a copy": {
    replace: (place: string) => link(place, "copy"),
    putBack: (place: string) => link(place, "data"),
  },
  "a copy mounted over the directory": {
    replace: (place: string) =>
      execFileSync("mount", ["--bind", join(place, "copy"), join(place, "data")]),
    putBack: (place: string) => execFileSync("umount", [join(place, "data")]),
  },
  "the directory swapped with a copy": {
    replace: (place: string) => swap(place),
    putBack: (place: string) => swap(place),
  },
};

function link(place: string, target: string): void {
  symlinkSync(target, join(place, "next"));
  renameSync(join(place, "next"), join(place, "link"));
}

function swap(place: string): void {
  renameSync(join(place, "data"), join(place, "third"));
  renameSync(join(place, "copy"), join(place, "data"));
  renameSync(join(place, "third"), join(place, "copy"));
}

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

  const skip = !mayMount();
  test("on a full disk reads return 503, and no charge is lost", { skip }, async () => {
    await using directory = await temporaryDirectory();
    const mounted = 'mount -t tmpfs -o size=4m none "$DATA_DIR" && exec "$@"';
    await using server = await startServer({
      dataDirectory: directory.path,
      env: { PATH: process.env.PATH ?? "" },
      through: [...MOUNT, ...runThrough(mounted)],
    });
    const inside = join(`/proc/${server.program.pid}/root`, directory.path);
    const filler = join(inside, "filler");
    const customer = await server.newCustomer("ada@example.org");
    await assertRead(customer);

    const { blocks, bsize } = await statfs(inside);
    // Larger than the disk, so that no space remains for the server's concurrent writes.
    await assert.rejects(writeFile(filler, Buffer.alloc(blocks * bsize)), { code: "ENOSPC" });
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

    await rm(filler);
    await assertServed(customer);
    assert.equal(await customer.usedUnits(), answered + 1);
    await server.stopWell();
  });

  for (const name of ["kurs.db", "kurs.db-wal", "kurs.db-shm"]) {
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

  // The copy's directory has the modification time of the original.
  for (const [what, { replace, putBack }] of Object.entries(replacements)) {
    // Only root may mount.
    const skip = what.startsWith("a copy mounted") && process.getuid?.() !== 0;
    test(`with ${what}, no read that begins later is acknowledged, and nothing is lost`, {
      skip,
    }, async () => {
      await using place = await temporaryDirectory();
      const [data, link] = [join(place.path, "data"), join(place.path, "link")];
      mkdirSync(data, { mode: 0o700 });
      symlinkSync("data", link);
      await using server = await startServer({ dataDirectory: link });
      const customer = await server.newCustomer("ada@example.org");
      await assertRead(customer);
      execFileSync("cp", ["-a", data, join(place.path, "copy")]);
      const key = await customer.client.createKey(customer.session);
      await customer.client.revokeKey(customer.session, key.id);
      await assertRead(customer);
      // The server may have written a file into its directory since the copy was made.
      execFileSync("touch", ["-r", data, join(place.path, "copy")]);

      replace(place.path);
      try {
        await assertUnavailable(customer);
      } finally {
        putBack(place.path);
      }

      await assertServed(customer);
      assert.equal(await customer.usedUnits(), 3);
      assert.equal((await server.get("/v1/rates/EUR/USD", { apiKey: key.apiKey })).status, 401);
      assert.match(await server.stopWell(), /was removed or replaced while it was in use/);
    });
  }
});
