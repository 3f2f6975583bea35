import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Worker } from "node:worker_threads";
import { createPasswords } from "../../../src/customers/passwords/hashing/argon2.ts";
import { createHashPool } from "../../../src/customers/passwords/hashing/hash-pool.ts";
import { Failure } from "../../../src/platform/shared/failure.ts";
import { assertFailure } from "../../support/assertions.ts";
import { holdHashes } from "../../support/held-hashes.ts";
import { eventually, mailTo, tokenOf } from "../../support/mails.ts";
import { startSharedService } from "../../support/service.ts";

const EMAIL = "ada@example.org";
const PASSWORD = "correct horse battery";
const MAX_QUEUED = 7;

/** The threads that this process has started. */
const threads: Worker[] = [];
process.on("worker", (thread) => threads.push(thread));

const passwords = createPasswords(createHashPool({ threads: 1, maxQueued: MAX_QUEUED }));
const service = await startSharedService({ passwords });

const logIn = (email = EMAIL) =>
  service.post("/v1/auth/login", { json: { email, password: PASSWORD } });

/** Every row that a log-in, a registration or a reset would change. */
const stored = () => [
  service.query("SELECT * FROM accounts ORDER BY id"),
  service.query("SELECT * FROM sessions ORDER BY token_hash"),
  service.query("SELECT * FROM mail_tokens ORDER BY token_hash"),
  service.query("SELECT id FROM mails ORDER BY id"),
];

test("hashing: the pool starts its thread at the first password, and concurrent log-ins queue for it and all succeed", async () => {
  assert.equal((await service.get("/readyz")).status, 200);
  assert.deepEqual(threads, []);

  await service.openSession(EMAIL);
  const answers = await Promise.all(Array.from({ length: 1 + MAX_QUEUED }, () => logIn()));

  for (const { status, text } of answers) assert.equal(status, 200, text);
  assert.equal(service.query("SELECT * FROM sessions").length, 1 + answers.length);
  assert.equal(threads.length, 1);
});

test("hashing: with a full queue password requests return 503 at once and reads still succeed", async () => {
  const { apiKey } = await service.createKey(await service.logIn(EMAIL));
  await service.post("/v1/auth/password-reset", { json: { email: EMAIL } });
  const token = tokenOf(await mailTo(service.dataDirectory, EMAIL, "reset"));
  const before = stored();
  using held = holdHashes();
  const queued = Array.from({ length: 1 + MAX_QUEUED }, () => passwords.hash(PASSWORD));

  const rejected = await Promise.all([
    logIn(),
    logIn("nobody@example.org"),
    service.post("/v1/auth/register", { json: { email: "new@example.org", password: PASSWORD } }),
    service.post("/v1/auth/password-reset/confirm", { json: { token, password: PASSWORD } }),
  ]);
  const read = await service.get("/v1/rates/EUR/USD", { apiKey });

  for (const answer of rejected) {
    assertFailure(answer, 503, "temporarily_unavailable", /retry/);
    assert.equal(answer.headers["retry-after"], "5");
    assert.equal(answer.body.message, rejected[0].body.message);
  }
  assert.equal(read.status, 200);
  assert.deepEqual(stored(), before);

  held.release();
  const [passwordHash] = await Promise.all(queued);
  assert.equal((await passwords.verify(passwordHash, PASSWORD)).matches, true);
  assert.equal((await logIn()).status, 200);
});

test("hashing: an error in the thread returns 500 without details, and the next log-in works", async () => {
  const [account] = service.query("SELECT password_hash FROM accounts");
  const right = String(account?.password_hash);
  // Argon2 requires at least 8 KiB (RFC 9106, section 3.1).
  const impossible = right.replace("m=19456", "m=1");
  service.query("UPDATE accounts SET password_hash = ?", impossible);

  const answer = await logIn();

  assertFailure(answer, 500, "internal_error");
  assert.doesNotMatch(answer.text, /argon|memory|thread/i);
  assert.ok(!service.logLines.join("").includes(PASSWORD));
  service.query("UPDATE accounts SET password_hash = ?", right);
  assert.equal((await logIn()).status, 200);
});

// After the others that use this pool: with a fault here, none of its passwords would be hashed.
test("hashing: a thread that ends fails its request, and the next password starts a new one", async () => {
  const started = threads.length;
  {
    using _held = holdHashes();
    const check = assert.rejects(passwords.hash(PASSWORD), /thread ended/);
    await threads.at(-1)?.terminate();
    await check;
  }

  assert.equal((await logIn()).status, 200);
  assert.equal(threads.length, started + 1);
  // Now it is idle.
  await threads.at(-1)?.terminate();
  const answer = logIn();
  await eventually("another thread", () => threads[started + 1]);
  assert.equal((await answer).status, 200);
  assert.equal(threads.length, started + 2);
});

test("hashing: closing the pool rejects the password that is being hashed and those that wait", async () => {
  const closing = createPasswords(createHashPool({ threads: 1 }));
  const hashed = [closing.hash(PASSWORD), closing.hash(PASSWORD)];

  closing.close();

  for (const outcome of await Promise.allSettled([...hashed, closing.hash(PASSWORD)])) {
    assert.ok(outcome.status === "rejected");
    assert.ok(outcome.reason instanceof Failure);
    assert.equal(outcome.reason.code, "temporarily_unavailable");
  }
});

// Only Linux has a niceness per thread.
if (process.platform === "linux") {
  test("hashing: the hash thread has a lower priority than the other threads", async () => {
    const readThread = async (thread: string) => {
      const stat = await readFile(`/proc/self/task/${thread}/stat`, "utf8");
      const [, name, rest = ""] = /\((.*)\) (.*)$/s.exec(stat) ?? [];
      return { isHashing: name === "hashing", nice: Number(rest.split(" ")[16]) };
    };
    await createPasswords().hash(PASSWORD);

    // Threads of other tests may still be starting, or end before they are read.
    const others = await eventually("hash threads of a lower priority", async () => {
      const read = await Promise.allSettled(readdirSync("/proc/self/task").map(readThread));
      const found = read.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
      const { own = [], others = [] } = Object.groupBy(found, ({ isHashing }) =>
        isHashing ? "own" : "others",
      );
      const lower = Math.min((others[0]?.nice ?? 0) + 10, 19);
      return own.length > 0 && own.every(({ nice }) => nice === lower) ? others : undefined;
    });
    assert.ok(others.every(({ nice }) => nice === others[0]?.nice));
  });
}
