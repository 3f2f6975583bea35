import type { TestService } from "./service.ts";

/** Adds copies of a key, which are created as it was and revoked then, unless told otherwise. */
export function addCopies(
  own: Pick<TestService, "database">,
  keyId: string,
  count: number,
  how: {
    readonly createdAt?: string | undefined;
    readonly revokedAt?: string | null | undefined;
  } = {},
): void {
  using database = own.database();
  database.exec("BEGIN");
  const copy = database.prepare(`
    INSERT INTO api_keys (key_hash, id, account_id, name, key_prefix, created_at, revoked_at)
    SELECT key_hash || ?1, id || '-' || ?1, account_id, name || '-' || ?1, key_prefix, ?2, ?3
    FROM api_keys WHERE id = ?4`);
  const stored = database.prepare("SELECT created_at FROM api_keys WHERE id = ?").get(keyId);
  const { createdAt = String(stored?.created_at) } = how;
  const { revokedAt = createdAt } = how;
  for (let index = 1; index <= count; index += 1) {
    copy.run(String(index).padStart(6, "0"), createdAt, revokedAt, keyId);
  }
  database.exec("COMMIT");
}
