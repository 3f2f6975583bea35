import type { ApiKey } from "./api/keys.ts";

/** The names of keys by id. */
export function namesOf(keys: readonly ApiKey[]): ReadonlyMap<string, string> {
  return new Map(keys.map(({ id, name }) => [id, name]));
}

/** Labels of keys by id: the name, and the prefix where several keys have the same name. */
export function labelsOf(keys: readonly ApiKey[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const { name } of keys) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    keys.map(({ id, name, key_prefix }) => [
      id,
      counts.get(name) === 1 ? name : `${name} (${key_prefix}…)`,
    ]),
  );
}
