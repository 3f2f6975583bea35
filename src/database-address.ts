import type { DatabaseHost } from "./config.ts";

// Up to the last @ stand user and password: a password with one that is not encoded must not end up
// among the hosts, which are shown.
const address = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)([/?][^@\s]*)?$/;

/**
 * Reads an address as `DATABASE_URL` has it. Several hosts stand by commas, as libpq reads them:
 * `postgres://user:password@one:5432,two:5432/kurs` (PostgreSQL, section 32.1.1.3).
 *
 * @returns the hosts in their order; `undefined` for what is no such address.
 */
export function parseDatabaseAddress(text: string): readonly DatabaseHost[] | undefined {
  const [, scheme = "", user = "", hosts = "", rest = ""] = address.exec(text) ?? [];
  const names = hosts.split(",");
  const parsed = names.map((name) => ({ name, url: `${scheme}${user}${name}${rest}` }));
  const isGood = hosts !== "" && parsed.every(({ url }) => URL.parse(url)?.hostname);
  return isGood ? parsed : undefined;
}

/** @returns the address of all hosts without what is secret in it; undefined for no hosts. */
export function shownAddress(hosts: readonly DatabaseHost[] | undefined): string | undefined {
  const url = URL.parse(hosts?.[0]?.url ?? "");
  if (url === null || hosts === undefined) return undefined;
  const user = url.username === "" ? "" : `${url.username}@`;
  for (const name of [...url.searchParams.keys()]) {
    if (/password/i.test(name)) url.searchParams.delete(name);
  }
  const names = hosts.map(({ name }) => name).join(",");
  return `${url.protocol}//${user}${names}${url.pathname}${url.search}`;
}
