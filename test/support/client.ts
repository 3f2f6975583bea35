import { Agent, request } from "node:http";
import { type Answer, type Call, send } from "./service.ts";

const PASSWORD = "correct horse battery";

/** A client of a server in another process. */
export interface Client {
  call(method: string, path: string, how?: Call): Promise<Answer>;
  get(path: string, how?: Call): Promise<Answer>;
  /** Creates an account. */
  register(email: string): Promise<void>;
  /** @returns the token of a new session. */
  logIn(email: string): Promise<string>;
  /** Creates an account and logs in. @returns the session's token. */
  openSession(email: string): Promise<string>;
  createKey(session: string): Promise<{ readonly id: string; readonly apiKey: string }>;
  /** The units used in the current period. */
  usedUnits(session: string): Promise<number>;
}

export function clientOf(url: string): Client {
  const call = (method: string, path: string, how: Call = {}) => send(url, method, path, how);
  const expect = async (status: number, method: string, path: string, how: Call) => {
    const answer = await call(method, path, how);
    if (answer.status === status) return answer.body;
    throw new Error(`${method} ${path}: want ${status}, got ${answer.status} ${answer.text}`);
  };
  const client: Client = {
    call,
    get: (path, how) => call("GET", path, how),

    async register(email) {
      await expect(201, "POST", "/v1/auth/register", { json: { email, password: PASSWORD } });
    },

    async logIn(email) {
      const how = { json: { email, password: PASSWORD } };
      const { session_token } = await expect(200, "POST", "/v1/auth/login", how);
      return String(session_token);
    },

    async openSession(email) {
      await client.register(email);
      return await client.logIn(email);
    },

    async createKey(session) {
      const how = { session, json: { name: "test" } };
      const { id, api_key } = await expect(201, "POST", "/v1/account/api-keys", how);
      return { id: String(id), apiKey: String(api_key) };
    },

    async usedUnits(session) {
      const { usage } = await expect(200, "GET", "/v1/account/usage", { session });
      return (usage as { used_units: number }).used_units;
    },
  };
  return client;
}

/** A request on a connection. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A complete response. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** One keep-alive connection with one request at a time. */
export interface Connection extends Disposable {
  /** Rejects when the connection breaks before the response is complete. */
  send(asked: Asked): Promise<Reply>;
  readRate(pair: string, apiKey: string): Promise<Reply>;
}

export function openConnection(url: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port } = new URL(url);
  const send = ({ method, path, headers, body }: Asked): Promise<Reply> => {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const sent = request({ hostname, port, method, path, headers, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    sent.on("error", reject);
    sent.end(body);
    return promise;
  };
  return {
    send,
    readRate: (pair, apiKey) =>
      send({
        method: "GET",
        path: `/v1/rates/${pair}`,
        headers: { authorization: `ApiKey ${apiKey}` },
      }),
    [Symbol.dispose]: () => agent.destroy(),
  };
}
