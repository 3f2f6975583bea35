import { connect, createServer, type Socket } from "node:net";
import { listen } from "./other-server.ts";

// The parts of PostgreSQL's protocol 3.0 (PostgreSQL, chapter 54) that a pooler handles.
const SSL_REQUEST = 80_877_103;
const READY_FOR_QUERY = "Z".charCodeAt(0);
const PARAMETER_STATUS = "S".charCodeAt(0);
const IDLE = "I".charCodeAt(0);

/** The startup parameters that PgBouncer 1.18 accepts; any other one ends the connection. */
const ACCEPTED = new Set([
  ...["user", "database", "application_name", "client_encoding", "datestyle", "timezone"],
  "standard_conforming_strings",
]);

/** A session of the server, which one client uses at a time. */
interface ServerSession {
  readonly socket: Socket;
  readonly parameters: readonly Buffer[];
  client: Socket | undefined;
  readonly waiting: { readonly client: Socket; readonly message: Buffer }[];
}

/**
 * Starts a pooler in front of a server without passwords. It treats clients like PgBouncer: it
 * rejects unknown startup parameters and sends invented process ids. In session mode a client keeps
 * its session; in transaction mode all clients share one, transaction by transaction.
 */
export async function startPooler(serverPort: number, mode: "session" | "transaction") {
  const sockets = new Set<Socket>();
  let shared: Promise<ServerSession> | undefined;
  const remember = (socket: Socket) => {
    sockets.add(socket);
    // As PgBouncer: otherwise each message can wait 40 ms for an acknowledgement.
    socket.setNoDelay();
    socket.on("error", () => socket.destroy()).once("close", () => sockets.delete(socket));
  };
  const openSession = async (startup: Buffer): Promise<ServerSession> => {
    const socket = connect(serverPort, "127.0.0.1");
    remember(socket);
    const { promise, resolve, reject } = Promise.withResolvers<ServerSession>();
    socket.once("close", () => reject(new Error("the server has closed the connection")));
    const parameters: Buffer[] = [];
    const session: ServerSession = { socket, parameters, client: undefined, waiting: [] };
    let isReady = false;
    onMessages(socket, 1, (message) => {
      if (isReady) passToClient(session, message, mode);
      else if (message[0] === PARAMETER_STATUS) parameters.push(message);
      else if (message[0] === READY_FOR_QUERY) {
        isReady = true;
        resolve(session);
      }
    });
    socket.write(startup);
    return promise;
  };

  const server = await listen(
    createServer((client) => {
      remember(client);
      const stopStartup = onMessages(client, 0, (startup) => {
        if (startup.readInt32BE(4) === SSL_REQUEST) {
          client.write("N");
          return;
        }
        stopStartup();
        const unknown = parametersIn(startup).find((name) => !ACCEPTED.has(name));
        if (unknown !== undefined) {
          client.end(errorOf(`unsupported startup parameter: ${unknown}`));
          return;
        }
        const opening =
          mode === "session" ? openSession(startup) : (shared ?? openSession(startup));
        if (mode === "transaction") shared = opening;
        opening.then(
          (session) => serve(client, session, mode),
          () => client.destroy(),
        );
      });
    }),
  );
  return {
    port: server.port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

function serve(client: Socket, session: ServerSession, mode: "session" | "transaction"): void {
  const authenticated = messageOf("R", Buffer.alloc(4));
  const madeUpKey = messageOf("K", Buffer.from([0x7f, 1, 2, 3, 4, 5, 6, 7]));
  const ready = messageOf("Z", Buffer.from([IDLE]));
  client.write(Buffer.concat([authenticated, ...session.parameters, madeUpKey, ready]));
  onMessages(client, 1, (message) => {
    if (message[0] === "X".charCodeAt(0)) client.end();
    else if (session.client === undefined || session.client === client) {
      session.client = client;
      session.socket.write(message);
    } else session.waiting.push({ client, message });
  });
  client.once("close", () => {
    if (mode === "session") session.socket.destroy();
  });
}

function passToClient(session: ServerSession, message: Buffer, mode: string): void {
  session.client?.write(message);
  const hasEnded = message[0] === READY_FOR_QUERY && message[5] === IDLE;
  if (mode === "session" || !hasEnded) return;
  const next = session.waiting[0]?.client;
  session.client = next;
  const due = session.waiting.filter(({ client }) => client === next);
  for (const each of due) {
    session.waiting.splice(session.waiting.indexOf(each), 1);
    session.socket.write(each.message);
  }
}

/** @param typeBytes the number of bytes before a message's length: none in a startup message. */
function onMessages(
  socket: Socket,
  typeBytes: 0 | 1,
  handle: (message: Buffer) => void,
): () => void {
  let rest = Buffer.alloc(0);
  const read = (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= typeBytes + 4) {
      const length = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      handle(message);
    }
  };
  socket.on("data", read);
  return () => socket.off("data", read);
}

function parametersIn(startup: Buffer): string[] {
  const texts = startup.subarray(8).toString().split("\0");
  return texts.filter((text, index) => index % 2 === 0 && text !== "");
}

function messageOf(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function errorOf(text: string): Buffer {
  return messageOf("E", Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`));
}
