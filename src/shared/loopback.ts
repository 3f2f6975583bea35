/** Whether a URL's host name is this machine's own, which no other machine reaches. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || /^(127\.[0-9.]+|\[::1\]|::1)$/.test(hostname);
}
