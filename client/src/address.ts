/**
 * @returns the address of a service, without a slash at its end.
 * @throws {TypeError} for a text that is none. `localhost:8080` is a URL, too: of another scheme.
 */
export function addressOf(url: string): string {
  const { origin = "", pathname = "", href } = URL.canParse(url) ? new URL(url) : {};
  const address = origin + pathname;
  if (/^https?:/.test(address) && address === href) return address.replace(/\/+$/, "");
  const wanted = 'url must be an address such as "https://kurs.example.org"';
  // The text may contain a password.
  throw new TypeError(`${wanted}, without a user, a query or a fragment`);
}
