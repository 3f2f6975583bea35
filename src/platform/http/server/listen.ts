import type { AddressInfo, Server } from "node:net";
import { StartupError } from "../../shared/program/start-error.ts";

/**
 * Connections that wait until the server accepts them; the system may allow fewer. With Node's 511
 * a burst of new ones through a proxy overflowed the queue, and others waited a second for the
 * system to repeat their first packet.
 */
const BACKLOG = 4096;

/**
 * Makes a server listen.
 *
 * @param prefix of the variables that host and port come from.
 * @returns where it listens.
 * @throws {StartupError}
 */
export async function listen(
  server: Server,
  open: (address: { host: string; port: number; backlog: number }) => Promise<unknown>,
  { host, port }: { readonly host: string; readonly port: number },
  prefix: "" | "METRICS_",
): Promise<string> {
  try {
    await open({ host, port, backlog: BACKLOG });
  } catch (error) {
    const advice = adviceOf.get((error as { code?: string }).code ?? "");
    if (advice === undefined) throw error;
    const action = advice.replace(/\{(HOST|PORT)\}/, `${prefix}$1`);
    throw new StartupError(`Cannot listen on ${host} port ${port}: ${action}.`, error);
  }
  const { address, family, port: bound } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`;
}

const adviceOf = new Map([
  ["EADDRINUSE", "another program uses it; end that program, or set {PORT} to another number"],
  ["EACCES", "this user may not; set {PORT} to a number above 1023"],
  ["EADDRNOTAVAIL", "this machine has no such address; set {HOST} to one of its own"],
  ["ENOTFOUND", "the name is not known; set {HOST} to an address of this machine"],
  ["EAI_AGAIN", "the name cannot be looked up; set {HOST} to an address of this machine"],
]);
