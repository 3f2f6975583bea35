import { setImmediate as otherTurn } from "node:timers/promises";

// What a tab of a browser has, as far as the console's logic uses it and Node.js lacks it: its modules
// run once this one is loaded. It replaces what belongs to the process, which the tests have to
// themselves.

// Pages show UTC wherever the reader is.
process.env.TZ = "America/New_York";

/** A request as the console sent it. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
}

const page = Object.assign(new EventTarget(), {
  /** The content of the document's meta elements, which the server writes. */
  metas: {} as Record<string, string>,
  querySelector(selector: string) {
    if (selector.includes("icon")) return { href: "https://kurs.example.org/kurs/favicon.svg" };
    const content = page.metas[/name="(\w+)"/.exec(selector)?.[1] ?? ""];
    return content === undefined ? null : { content };
  },
});

const events = new EventTarget();
const address = new URL("https://kurs.example.org/kurs/keys");
const move = (_state: unknown, _title: string, to: string) => {
  address.href = new URL(to, address).href;
};

export const tab = {
  page,
  address,
  sent: [] as Sent[],
  /** Answers the requests; a failure means that there was no response. */
  reply: (() => Promise.reject(new TypeError())) as (sent: Sent) => Response | Promise<Response>,
  reloads: 0,
  /** What "back" leads through. */
  visited: 1,
  fire: (name: string, members: object = {}) =>
    events.dispatchEvent(Object.assign(new Event(name), members)),
  /** Replaces the address, as a click on a link of a mail does. */
  open(path: string) {
    move(undefined, "", path);
    tab.fire("popstate");
  },
};

function visit(...args: Parameters<typeof move>): void {
  tab.visited += 1;
  move(...args);
}

function reload(): void {
  tab.reloads += 1;
}

/** A channel that keeps no process alive. */
class Channel extends BroadcastChannel {
  constructor(name: string) {
    super(name);
    (this as unknown as { unref(): void }).unref();
  }
}

const globals = {
  document: page,
  history: { pushState: visit, replaceState: move },
  location: Object.assign(address, { reload }),
  scrollTo: () => undefined,
  addEventListener: events.addEventListener.bind(events),
  BroadcastChannel: Channel,
  async fetch(path: string, { method = "GET", headers }: RequestInit) {
    const sent = { method, path, headers: new Headers(headers) };
    tab.sent.push(sent);
    return await tab.reply(sent);
  },
};
for (const [name, value] of Object.entries(globals)) {
  Object.defineProperty(globalThis, name, { value, configurable: true });
}

/** A failure's envelope. */
export const failure = (status: number, code: string): Response =>
  Response.json({ code, message: `It is ${code}.`, request_id: "01a1" }, { status });

/** Lets everything run that waits for nothing but this process. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await otherTurn();
}
