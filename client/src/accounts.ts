import type { CallOptions } from "./deadline.ts";
import type { Result } from "./operations.ts";
import { type Call, type Connection, segmentOf, send } from "./send.ts";

/** Calls with a session. None costs a unit. */
export interface Account {
  readonly keys: {
    /** Creates an API key. The result is the only one with the secret, `api_key`. */
    create(name: string, options?: CallOptions): Promise<Result<"createApiKey">>;
    /** Lists the keys, revoked ones too, oldest first. */
    list(options?: CallOptions): Promise<Result<"listApiKeys">>;
    /** Revokes a key: from the next read on, the service rejects it. */
    revoke(id: string, options?: CallOptions): Promise<Result<"revokeApiKey">>;
  };
  /** The used and the remaining units of the billing period. */
  usage(options?: CallOptions): Promise<Result<"getUsage">>;
  /** The statement of a billing period such as `2026-11`: its `body` is what is signed. */
  statement(period: string, options?: CallOptions): Promise<Result<"getStatement">>;
  /** Ends the session. */
  logOut(options?: CallOptions): Promise<Result<"logOut">>;
}

/** Opens a session, which is valid for 24 hours: `session_token`. */
export function logIn(
  connection: Connection,
  email: string,
  password: string,
  options?: CallOptions,
): Promise<Result<"logIn">> {
  const call = { method: "POST", path: "/v1/auth/login", json: { email, password } } as const;
  return send<"logIn">(connection, call, options);
}

export function createAccount(connection: Connection, sessionToken: string): Account {
  const authorization = `Session ${sessionToken}`;
  const call = (method: Call["method"], path: string, json?: unknown): Call => {
    return { method, path: `/v1/${path}`, authorization, json };
  };
  const isData = (value: unknown) => value === undefined;
  const keys = "account/api-keys";
  return {
    keys: {
      create: (name, options) =>
        send<"createApiKey">(connection, call("POST", keys, { name }), options),
      list: (options) => send<"listApiKeys">(connection, call("GET", keys), options),
      revoke(id, options) {
        const path = `${keys}/${segmentOf(id)}`;
        return send<"revokeApiKey">(connection, { ...call("DELETE", path), isData }, options);
      },
    },
    usage: (options) => send<"getUsage">(connection, call("GET", "account/usage"), options),
    statement: (period, options) =>
      send<"getStatement">(
        connection,
        call("GET", `account/statements/${segmentOf(period)}`),
        options,
      ),
    logOut: (options) =>
      send<"logOut">(connection, { ...call("POST", "auth/logout"), isData }, options),
  };
}
