import type { TestService } from "./service.ts";

/** Adds revoked copies of a key. */
export function addRevokedKeys(own: TestService, keyId: string, count: number): void {
  using database = own.database();
  database.exec("BEGIN");
  const copy = database.prepare(`
    INSERT INTO api_keys (key_hash, id, account_id, name, key_prefix, created_at, revoked_at)
    SELECT key_hash || ?1, id || ?1, account_id, name || ?1, key_prefix, created_at, created_at
    FROM api_keys WHERE id = ?2`);
  for (let index = 1; index <= count; index += 1) {
    copy.run(`-${String(index).padStart(6, "0")}`, keyId);
  }
  database.exec("COMMIT");
}
