import { Agent, request } from "node:http";

/** The password of every account that a client opens. */
export const PASSWORD = "correct horse battery";

/** A response as it came over the socket. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body; an empty object where it is no JSON. @throws when it should be, and is not. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Call {
  readonly apiKey?: string;
  readonly session?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly raw?: string;
}

/** Requests to a service, in this process or another. */
export interface Client {
  /** Sends one request, its path as it is written. */
  call(method: string, path: string, how?: Call): Promise<Answer>;
  get(path: string, how?: Call): Promise<Answer>;
  post(path: string, how?: Call): Promise<Answer>;
  /** Reads a rate. */
  readRate(pair: string, apiKey: string): Promise<Answer>;
  /** Creates an account. */
  register(email: string): Promise<void>;
  /** @returns the token of a new session. */
  logIn(email: string): Promise<string>;
  /** Creates an account and logs in. @returns the session's token. */
  openSession(email?: string): Promise<string>;
  createKey(
    session: string,
    name?: string,
  ): Promise<{ readonly id: string; readonly apiKey: string }>;
  revokeKey(session: string, keyId: string): Promise<void>;
  /** The `usage` member of GET /v1/account/usage. */
  usage(session: string): Promise<Readonly<Record<string, number>>>;
  /** The units that the account of a session has used in the current period. */
  usedUnits(session: string): Promise<number>;
  /** Opens an account, logs in and creates a key. */
  newCustomer(email?: string): Promise<Customer>;
}

/** An account with a session and a key, and the client that it uses. */
export interface Customer {
  readonly client: Client;
  readonly email: string;
  readonly session: string;
  readonly keyId: string;
  readonly apiKey: string;
  /** Reads a rate with the key: EUR/USD without another pair. */
  read(pair?: string): Promise<Answer>;
  usedUnits(): Promise<number>;
}

/** @param agent without it, each request has a connection of its own. */
export function clientOf(url: string, agent: Agent | false = false): Client {
  return clientBy(callTo(url, agent));
}

/** @returns a function that sends one request. */
export function callTo(url: string, agent: Agent | false = false): Client["call"] {
  const { hostname, port } = new URL(url);
  return (method, path, how = {}) => send({ hostname, port, method, path, agent }, how);
}

/** @param call sends one request. */
export function clientBy(call: Client["call"]): Client {
  const expect = async (status: number, method: string, path: string, how: Call) => {
    const answer = await call(method, path, how);
    if (answer.status === status) return answer.body;
    throw new Error(`${method} ${path}: want ${status}, got ${answer.status} ${answer.text}`);
  };
  let accounts = 0;
  const client: Client = {
    call,
    get: (path, how) => call("GET", path, how),
    post: (path, how) => call("POST", path, how),
    readRate: (pair, apiKey) => call("GET", `/v1/rates/${pair}`, { apiKey }),

    async register(email) {
      await expect(201, "POST", "/v1/auth/register", { json: { email, password: PASSWORD } });
    },

    async logIn(email) {
      const how = { json: { email, password: PASSWORD } };
      return String((await expect(200, "POST", "/v1/auth/login", how)).session_token);
    },

    async openSession(email = `account-${++accounts}@example.org`) {
      await client.register(email);
      return await client.logIn(email);
    },

    async createKey(session, name = "test") {
      const how = { session, json: { name } };
      const { id, api_key } = await expect(201, "POST", "/v1/account/api-keys", how);
      return { id: String(id), apiKey: String(api_key) };
    },

    async revokeKey(session, keyId) {
      await expect(204, "DELETE", `/v1/account/api-keys/${keyId}`, { session });
    },

    async usage(session) {
      const { usage } = await expect(200, "GET", "/v1/account/usage", { session });
      return usage as Readonly<Record<string, number>>;
    },

    usedUnits: async (session) => Number((await client.usage(session)).used_units),

    async newCustomer(email = `account-${++accounts}@example.org`) {
      const session = await client.openSession(email);
      const { id: keyId, apiKey } = await client.createKey(session);
      const read = (pair = "EUR/USD") => client.readRate(pair, apiKey);
      const usedUnits = () => client.usedUnits(session);
      return { client, email, session, keyId, apiKey, read, usedUnits };
    },
  };
  return client;
}

/** A client with one connection, which is kept alive. */
export interface Connection extends Client, Disposable {}

export function openConnection(url: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return { ...clientOf(url, agent), [Symbol.dispose]: () => agent.destroy() };
}

function send(to: object, { apiKey, session, json, raw, headers: given }: Call): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const body = raw ?? (json === undefined ? undefined : JSON.stringify(json));
  const headers: Record<string, string> = { ...given };
  if (apiKey !== undefined) headers.authorization = `ApiKey ${apiKey}`;
  if (session !== undefined) headers.authorization = `Session ${session}`;
  if (body !== undefined) {
    headers["content-length"] = String(Buffer.byteLength(body));
    if (json !== undefined) headers["content-type"] ??= "application/json";
  }
  const sent = request({ ...to, headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("error", reject);
    response.on("end", () => {
      const status = response.statusCode ?? 0;
      const text = Buffer.concat(chunks).toString();
      resolve(answerOf(status, response.headers as Record<string, string>, text));
    });
  });
  sent.on("error", reject);
  sent.end(body);
  return promise;
}

export function answerOf(status: number, headers: Answer["headers"], text: string): Answer {
  const isJson = headers["content-type"]?.startsWith("application/json") && text !== "";
  return {
    status,
    headers,
    text,
    get body() {
      return isJson ? JSON.parse(text) : {};
    },
  };
}
