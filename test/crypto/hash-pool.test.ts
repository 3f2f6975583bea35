import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { Worker } from "node:worker_threads";
import { createHashPool } from "../../src/crypto/hash-pool.ts";
import { createSecrets } from "../../src/crypto/secrets.ts";
import { Failure } from "../../src/shared/failure.ts";
import { assertFailure } from "../support/assertions.ts";
import { holdHashes } from "../support/held-hashes.ts";
import { mailTo, tokenOf } from "../support/mails.ts";
import { startService, type TestService } from "../support/service.ts";

const EMAIL = "ada@example.org";
const PASSWORD = "correct horse battery";

const logIn = (service: TestService, email = EMAIL) =>
  service.post("/v1/auth/login", { json: { email, password: PASSWORD } });

/** Every row that a log-in, a registration or a reset would change. */
const stored = (service: TestService) => [
  service.query("SELECT * FROM accounts ORDER BY id"),
  service.query("SELECT * FROM sessions ORDER BY token_hash"),
  service.query("SELECT * FROM mail_tokens ORDER BY token_hash"),
  service.query("SELECT id FROM mails ORDER BY id"),
];

test("hashing: with a full queue password requests return 503 at once and reads still succeed", async () => {
  const secrets = createSecrets(createHashPool({ threads: 1, maxQueued: 1 }));
  await using service = await startService({ secrets });
  const { apiKey } = await service.newCustomer(EMAIL);
  await service.post("/v1/auth/password-reset", { json: { email: EMAIL } });
  const token = tokenOf(await mailTo(service.dataDirectory, EMAIL, "reset"));
  const before = stored(service);
  using held = holdHashes();
  const queued = [secrets.hashPassword(PASSWORD), secrets.hashPassword(PASSWORD)] as const;

  const rejected = await Promise.all([
    logIn(service),
    logIn(service, "nobody@example.org"),
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
  assert.deepEqual(stored(service), before);

  held.release();
  for (const passwordHash of await Promise.all(queued)) {
    assert.equal((await secrets.verifyPassword(passwordHash, PASSWORD)).matches, true);
  }
  assert.equal((await logIn(service)).status, 200);
});

test("hashing: concurrent log-ins queue for the thread and all succeed", async () => {
  const secrets = createSecrets(createHashPool({ threads: 1, maxQueued: 7 }));
  await using service = await startService({ secrets });
  await service.openSession(EMAIL);

  const answers = await Promise.all(Array.from({ length: 8 }, () => logIn(service)));

  for (const { status, text } of answers) assert.equal(status, 200, text);
  assert.equal(service.query("SELECT * FROM sessions").length, 9);
});

/** Records the threads that this process starts from now on. */
function watchThreads() {
  const threads: Worker[] = [];
  const record = (thread: Worker) => threads.push(thread);
  process.on("worker", record);
  return { threads, [Symbol.dispose]: () => void process.off("worker", record) };
}

test("hashing: the pool starts its thread at the first password, and one thread serves all requests", async () => {
  using watched = watchThreads();
  const secrets = createSecrets(createHashPool({ threads: 1 }));
  await using service = await startService({ secrets });
  assert.equal((await service.get("/readyz")).status, 200);
  assert.deepEqual(watched.threads, []);

  await service.openSession(EMAIL);

  assert.equal(watched.threads.length, 1);
});

test("hashing: a thread that ends fails its request, and the next password starts a new one", async () => {
  using watched = watchThreads();
  const secrets = createSecrets(createHashPool({ threads: 1 }));
  await using service = await startService({ secrets });
  await service.openSession(EMAIL);

  {
    using _held = holdHashes();
    const check = assert.rejects(secrets.hashPassword(PASSWORD), /thread ended/);
    await watched.threads[0]?.terminate();
    await check;
  }

  assert.equal((await logIn(service)).status, 200);
  assert.equal(watched.threads.length, 2);
  // Now it is idle.
  await watched.threads[1]?.terminate();
  assert.equal((await logIn(service)).status, 200);
  assert.equal(watched.threads.length, 3);
});

test("hashing: an error in the thread returns 500 without details, and the next log-in works", async () => {
  const secrets = createSecrets(createHashPool({ threads: 1 }));
  await using service = await startService({ secrets });
  await service.openSession(EMAIL);
  const [account] = service.query("SELECT password_hash FROM accounts");
  const stored = String(account?.password_hash);
  // Argon2 requires at least 8 KiB (RFC 9106, section 3.1).
  const impossible = stored.replace("m=19456", "m=1");
  service.query("UPDATE accounts SET password_hash = ?", impossible);

  const answer = await logIn(service);

  assertFailure(answer, 500, "internal_error");
  assert.doesNotMatch(answer.text, /argon|memory|thread/i);
  assert.ok(!service.logLines.join("").includes(PASSWORD));
  service.query("UPDATE accounts SET password_hash = ?", stored);
  assert.equal((await logIn(service)).status, 200);
});

test("hashing: closing the pool rejects the password that is being hashed and those that wait", async () => {
  const secrets = createSecrets(createHashPool({ threads: 1 }));
  const passwords = [secrets.hashPassword(PASSWORD), secrets.hashPassword(PASSWORD)];

  secrets.closePasswords();

  for (const outcome of await Promise.allSettled([...passwords, secrets.hashPassword(PASSWORD)])) {
    assert.ok(outcome.status === "rejected");
    assert.ok(outcome.reason instanceof Failure);
    assert.equal(outcome.reason.code, "temporarily_unavailable");
  }
});

// Only Linux has a niceness per thread.
if (process.platform === "linux") {
  test("hashing: the hash thread has a lower priority than the other threads", async () => {
    await createSecrets().hashPassword(PASSWORD);

    const niceness = readdirSync("/proc/self/task").map((thread) => {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, "utf8");
      const [, name, rest = ""] = /\((.*)\) (.*)$/s.exec(stat) ?? [];
      return { name, nice: Number(rest.split(" ")[16]) };
    });

    const own = niceness.filter(({ name }) => name === "hashing");
    const others = niceness.filter(({ name }) => name !== "hashing");
    const usual = others[0]?.nice ?? 0;
    assert.ok(own.length > 0, JSON.stringify(niceness));
    assert.ok(own.every(({ nice }) => nice > usual));
    assert.ok(others.every(({ nice }) => nice === usual));
  });
}
