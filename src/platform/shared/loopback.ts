/** Whether a URL's host name is a loopback one, which other machines cannot reach. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || /^(127\.[0-9.]+|\[::1\]|::1)$/.test(hostname);
}
