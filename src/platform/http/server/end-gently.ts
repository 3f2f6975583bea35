import type { Socket } from "node:net";

/** Time for a client to read a last response: closing on unread data would reset the connection. */
const LINGER_MS = 1000;

/** Ends a connection, discards what the client still sends, and closes it after LINGER_MS. */
export function endGently(socket: Socket, text = ""): void {
  // A client may reset the connection at any time, and this may be the only error listener.
  socket.on("error", () => undefined);
  socket.end(text);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
