import type { ApiKey, KeyWithUsage } from "./api/keys.ts";
import { countUnits, formatDay, formatLastDay, isRecentDay } from "./format.ts";

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

/** When a key was used last, and what its revocation means for programs that use it. */
export function lastUseOf({
  last_used_on,
  units,
}: Pick<KeyWithUsage, "last_used_on" | "units">): string {
  if (last_used_on === null) return "This key has never been used.";
  if (!isRecentDay(last_used_on)) return `This key was last used on ${formatDay(last_used_on)}.`;
  const count = units === 0 ? "" : ` (${countUnits(units)} this month)`;
  const when = formatLastDay(last_used_on);
  return `This key was used ${when}${count}. Requests with it will fail at once.`;
}
