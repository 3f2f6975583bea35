import assert from "node:assert/strict";
import type { Client } from "../support/client.ts";
import type { Books } from "./ledger.ts";

/** A log-in takes about 30 ms of hashing, so only some accounts are tried. */
const LOG_INS_TRIED = 5;

/**
 * Compares units, accounts, sessions, keys and revocations with what the service acknowledged.
 *
 * @param stored the emails of all accounts in the store.
 */
export async function checkAcknowledged(
  client: Client,
  { readers, accounts, sessions, keys }: Books,
  stored: readonly string[],
): Promise<void> {
  for (const { email, quota, session, answered, lost, wasRefused } of readers) {
    const units = await client.usedUnits(session);
    const found = `${email}: ${units} units, ${answered} answers, ${lost} in doubt, quota ${quota}`;
    assert.ok(units >= answered, found);
    assert.ok(units <= answered + lost, found);
    assert.ok(units <= quota, found);
    if (wasRefused) assert.equal(units, quota, found);
  }

  const found = new Set(stored);
  for (const email of accounts) assert.ok(found.has(email), `account ${email} is lost`);
  for (const email of accounts.slice(-LOG_INS_TRIED)) await client.logIn(email);
  for (const session of sessions) assert.ok((await client.usedUnits(session)) >= 0);
  await checkKeys(client, keys);
}

async function checkKeys(client: Client, keys: Books["keys"]): Promise<void> {
  const listed = new Map<string, Set<string>>();
  for (const [apiKey, { id, session, revocation }] of keys) {
    if (!listed.has(session)) {
      const { body } = await client.get("/v1/account/api-keys", { session });
      const items = body.api_keys as { id: string }[];
      listed.set(session, new Set(items.map((item) => item.id)));
    }
    assert.ok(listed.get(session)?.has(id), `key ${id} is not listed`);
    // An invalid symbol is rejected after the key's check and before any charge.
    const { status } = await client.get("/v1/rates/E/USD", { apiKey });
    if (revocation === "acknowledged")
      assert.equal(status, 401, `revoked key ${id} is valid again`);
    else if (revocation === "none") assert.equal(status, 400, `key ${id} is invalid`);
  }
}
