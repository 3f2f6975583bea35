import { Agent, request } from "node:http";
import { startServer } from "../../test/support/other-server.ts";

/** A typical setting: frequent checks, and no traffic after the first failed one. */
const CHECK_INTERVAL_MS = 100;

interface Node {
  url: string;
  isReady: boolean;
}

/** Starts a load balancer that distributes requests to ready nodes in turn and never retries. */
export async function startBalancer() {
  const nodes: Node[] = [];
  /** Requests that got no response from a node. */
  const failed: string[] = [];
  const agent = new Agent({ keepAlive: true });
  let count = 0;
  const server = await startServer((incoming, outgoing) => {
    const fail = (reason: unknown) => {
      failed.push(String(reason));
      outgoing.writeHead(502).end();
    };
    const ready = nodes.filter(({ isReady }) => isReady);
    count += 1;
    const node = ready[count % ready.length];
    if (node === undefined) return fail("no node is ready");
    const { method, headers, url: path = "/" } = incoming;
    const options = { method, headers: { ...headers, connection: "keep-alive" }, agent };
    const passed = request(node.url + path, options as object, (answer) => {
      const { connection, "keep-alive": _, ...rest } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, rest);
      answer.on("error", fail).pipe(outgoing);
    });
    passed.on("error", fail);
    incoming.pipe(passed);
  });

  const check = async (node: Node) => {
    const answer = await fetch(`${node.url}/readyz`).catch(() => undefined);
    await answer?.body?.cancel();
    node.isReady = answer?.status === 200;
  };
  const checking = setInterval(() => void Promise.all(nodes.map(check)), CHECK_INTERVAL_MS);
  return {
    url: server.url,
    failed,
    isReady: (url: string) => nodes.some((node) => node.url === url && node.isReady),
    add: (url: string) => void nodes.push({ url, isReady: false }),
    remove: (url: string) =>
      void nodes.splice(0, nodes.length, ...nodes.filter((node) => node.url !== url)),
    async [Symbol.asyncDispose]() {
      clearInterval(checking);
      agent.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}
