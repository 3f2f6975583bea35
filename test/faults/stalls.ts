import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, connect as open, type Socket } from "node:net";
import { promisify } from "node:util";
import type { PostgresServer } from "../../harness/postgres.ts";

const execute = promisify(execFile);

/** A server all of whose processes are stopped. Disposing of it lets them go on. */
export interface Frozen extends Disposable {
  /** Ends all of them as they are. */
  kill(): Promise<void>;
}

export async function freeze(server: PostgresServer): Promise<Frozen> {
  // First the one that makes new ones.
  process.kill(server.pid, "SIGSTOP");
  const { stdout } = await execute("ps", ["-A", "-o", "pid=,ppid="]);
  const lines = stdout.trim().split("\n");
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const children = pairs.flatMap(([pid = 0, parent]) => (parent === server.pid ? [pid] : []));
  for (const child of children) signal(child, "SIGSTOP");
  let isOver = false;
  const endWith = (name: NodeJS.Signals) => {
    if (isOver) return;
    isOver = true;
    process.off("exit", thaw);
    for (const pid of [...children, server.pid]) signal(pid, name);
  };
  const thaw = () => endWith("SIGCONT");
  // Whatever ends this process, no stopped one is left behind.
  process.once("exit", thaw);
  return {
    async kill() {
      endWith("SIGKILL");
      await server.kill();
    },
    [Symbol.dispose]: thaw,
  };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}

/** A way to a server of loopback, on which packets can get lost. */
export interface Relay extends AsyncDisposable {
  /** The server's address by this way. */
  readonly url: string;
  /** From now on nothing arrives on either side; connections are accepted as by a dead peer. */
  drop(): void;
  /** Breaks the connection that next asks something with a text in it, once it is answered. */
  loseAnswerTo(text: string): void;
  /** New connections are forwarded again. What was lost stays lost. */
  forward(): void;
  /** Connections that the near side has not given up. */
  openConnections(): number;
  /** Every piece that comes from the server is held up by so much. */
  delay(milliseconds: number): void;
}

export async function startRelay(target: Pick<PostgresServer, "port" | "url">): Promise<Relay> {
  const sockets = new Set<Socket>();
  const kept = new Set<Socket>();
  let isDropping = false;
  let unheard: string | undefined;
  let delayMs = 0;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = open({ port: target.port, host: "127.0.0.1", allowHalfOpen: true });
    let isLost = isDropping;
    let breaksAtAnswer = false;
    const pass = (from: Socket, to: Socket, isAnswer: boolean) => {
      sockets.add(from);
      const deliver = (act: () => unknown) => {
        // A connection that has lost a byte never gets another through.
        isLost ||= isDropping;
        if (isLost) return;
        if (isAnswer && delayMs > 0) setTimeout(() => to.destroyed || act(), delayMs);
        else act();
      };
      from.on("data", (bytes: Buffer) => {
        if (!isAnswer && unheard !== undefined && bytes.includes(unheard)) {
          breaksAtAnswer = true;
          unheard = undefined;
        }
        if (isAnswer && breaksAtAnswer) near.destroy();
        else deliver(() => to.write(bytes));
      });
      from.on("end", () => deliver(() => to.end()));
      from.on("error", () => deliver(() => to.destroy()));
      from.on("close", () => sockets.delete(from));
    };
    kept.add(near);
    for (const end of ["end", "error", "close"]) near.once(end, () => kept.delete(near));
    pass(near, far, false);
    pass(far, near, true);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: target.url().replace(`:${target.port}/`, `:${port}/`),
    drop: () => {
      isDropping = true;
    },
    loseAnswerTo: (text) => {
      unheard = text;
    },
    forward: () => {
      isDropping = false;
    },
    openConnections: () => kept.size,
    delay: (milliseconds) => {
      delayMs = milliseconds;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
