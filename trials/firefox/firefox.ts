import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { temporaryDirectory } from "../../test/support/process.ts";

// playwright-core drives Chromium only: its Firefox is one of its own, and Debian's lacks a command
// that it sends. The few commands of WebDriver BiDi that the flows need are these.

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly level?: string; readonly text?: string };
  readonly result?: { readonly context?: string; readonly result?: { readonly value?: unknown } };
  readonly message?: string;
}

/** Starts Debian's Firefox, or the one in FIREFOX, with a new profile. */
export async function startFirefox() {
  await using starting = new AsyncDisposableStack();
  const profile = starting.use(await temporaryDirectory());
  const args = [
    "--headless",
    "--no-remote",
    "--remote-debugging-port=0",
    "--profile",
    profile.path,
  ];
  const child = spawn(process.env.FIREFOX ?? "firefox-esr", args, {
    stdio: ["ignore", "ignore", "pipe"],
  });
  starting.defer(async () => {
    if (child.exitCode !== null) return;
    child.kill();
    await once(child, "exit");
  });
  const socket = new WebSocket(`${await addressIn(child.stderr)}/session`);
  starting.defer(() => socket.close());
  await once(socket, "open");

  const errors: string[] = [];
  const waiting = new Map<number, PromiseWithResolvers<NonNullable<Reply["result"]>>>();
  socket.addEventListener("message", ({ data }) => {
    const { id, method, params, result, message } = JSON.parse(String(data)) as Reply;
    if (method === "log.entryAdded" && /error|warn/.test(params?.level ?? "")) {
      errors.push(params?.text ?? "");
    }
    if (id === undefined) return;
    if (result === undefined) waiting.get(id)?.reject(new Error(message));
    else waiting.get(id)?.resolve(result);
  });
  const send = (method: string, params: object) => {
    const id = waiting.size + 1;
    const reply = Promise.withResolvers<NonNullable<Reply["result"]>>();
    waiting.set(id, reply);
    socket.send(JSON.stringify({ id, method, params }));
    return reply.promise;
  };
  await send("session.new", { capabilities: {} });
  await send("session.subscribe", { events: ["log.entryAdded"] });
  const running = starting.move();
  return {
    /** The errors and warnings on the consoles of all tabs. */
    errors: errors as readonly string[],
    async openTab() {
      const { context } = await send("browsingContext.create", { type: "tab" });
      return {
        async goto(url: string) {
          await send("browsingContext.navigate", { context, url, wait: "complete" });
        },
        /** Evaluates an expression in the page, and awaits its value. */
        async evaluate(expression: string) {
          const target = { context };
          const reply = await send("script.evaluate", { expression, target, awaitPromise: true });
          return reply.result?.value;
        },
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** A page in Firefox. */
export type FirefoxTab = Awaited<ReturnType<Awaited<ReturnType<typeof startFirefox>>["openTab"]>>;

/** The address at which Firefox listens, which it writes when it does. */
async function addressIn(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, address] = line.match(/WebDriver BiDi listening on (ws:\S+)/) ?? [];
    if (address !== undefined) {
      output.resume();
      return address;
    }
  }
  throw new Error("Firefox has ended without listening");
}
