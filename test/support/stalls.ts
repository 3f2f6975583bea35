import { execFile } from "node:child_process";
import { createServer, connect as open, type Socket } from "node:net";
import { promisify } from "node:util";
import type { PostgresServer } from "../../harness/postgres.ts";
import { listen } from "./other-server.ts";

const execute = promisify(execFile);

/** Stops all processes of a server by SIGSTOP. Disposing of the result resumes them. */
export async function freeze(server: PostgresServer) {
  // The parent first, so that it starts no new children.
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
  // Resumes them even when this process exits early.
  process.once("exit", thaw);
  return {
    /** Kills all processes without resuming them. */
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
    // The process has already ended.
  }
}

export interface Loss {
  /** Of so many queries; by default of the next one. */
  readonly times?: number;
  /** Whether to break the connection before the query reaches the server. */
  readonly isUnsent?: boolean;
  readonly onLoss?: () => void;
}

/** A proxy to a server on loopback that can lose or delay packets. */
export interface Relay extends AsyncDisposable {
  /** The server's address through this proxy. */
  readonly url: string;
  /** Drops everything on both sides from now on, but still accepts connections. */
  drop(): void;
  /** Breaks the connections of queries that contain a text, when their results arrive. */
  loseAnswerTo(text: string, how?: Loss): void;
  /** Forwards new connections again. Lost data stay lost. */
  forward(): void;
  /** The number of connections that the client side has not closed. */
  openConnections(): number;
  /** Waits until the client side has closed every connection that is open now. */
  untilClosed(): Promise<void>;
  /** Delays every chunk from the server. */
  delay(milliseconds: number): void;
}

export async function startRelay(target: Pick<PostgresServer, "port" | "url">): Promise<Relay> {
  const sockets = new Set<Socket>();
  const kept = new Set<Socket>();
  let isDropping = false;
  let unheard: (Required<Loss> & { readonly text: string }) | undefined;
  let delayMs = 0;
  const server = await listen(
    createServer({ allowHalfOpen: true }, (near) => {
      const far = open({ port: target.port, host: "127.0.0.1", allowHalfOpen: true });
      let isLost = isDropping;
      let lost: typeof unheard;
      const pass = (from: Socket, to: Socket, isAnswer: boolean) => {
        sockets.add(from);
        const deliver = (act: () => unknown) => {
          // After its first lost byte a connection forwards nothing more.
          isLost ||= isDropping;
          if (isLost) return;
          if (isAnswer && delayMs > 0) setTimeout(() => to.destroyed || act(), delayMs);
          else act();
        };
        from.on("data", (bytes: Buffer) => {
          if (!isAnswer && unheard !== undefined && bytes.includes(unheard.text)) {
            lost = unheard;
            unheard = lost.times > 1 ? { ...lost, times: lost.times - 1 } : undefined;
          }
          if (lost !== undefined && lost.isUnsent !== isAnswer) {
            near.destroy();
            far.destroy();
            lost.onLoss();
          } else deliver(() => to.write(bytes));
        });
        from.on("end", () => deliver(() => to.end()));
        from.on("error", () => deliver(() => to.destroy()));
        from.on("close", () => sockets.delete(from));
      };
      kept.add(near);
      for (const end of ["end", "error", "close"]) near.once(end, () => kept.delete(near));
      pass(near, far, false);
      pass(far, near, true);
    }),
  );
  return {
    url: target.url().replace(`:${target.port}/`, `:${server.port}/`),
    drop: () => {
      isDropping = true;
    },
    loseAnswerTo: (text, { times = 1, isUnsent = false, onLoss = () => undefined } = {}) => {
      unheard = { text, times, isUnsent, onLoss };
    },
    forward: () => {
      isDropping = false;
    },
    openConnections: () => kept.size,
    async untilClosed() {
      const closed = (near: Socket) => new Promise((done) => near.once("close", done));
      await Promise.all([...kept].map(closed));
    },
    delay: (milliseconds) => {
      delayMs = milliseconds;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}
