import type { CallOptions } from "./deadline.ts";
import type { components } from "./openapi.ts";
import type { Operation, Result } from "./operations.ts";
import { type Call, type Connection, segmentOf, send } from "./send.ts";

/**
 * The end and the caps of a key; null: none. An end is a time such as `2027-01-31T00:00:00Z`, or
 * days from the key's creation such as `30 days`.
 */
export type KeyLimits = components["schemas"]["ApiKeyLimits"];

/** Calls with a session. None costs a unit. */
export interface Account {
  readonly keys: {
    /** Creates an API key. The result is the only one with the secret, `api_key`. */
    create(
      name: string,
      options?: CallOptions & { readonly limits?: Partial<KeyLimits> | undefined },
    ): Promise<Result<"createApiKey">>;
    /** Lists the keys, revoked ones too, oldest first. */
    list(options?: CallOptions): Promise<Result<"listApiKeys">>;
    /** Revokes a key: from the next read on, the service rejects it. */
    revoke(id: string, options?: CallOptions): Promise<Result<"revokeApiKey">>;
    /** The end and the caps of an active key. */
    limits(id: string, options?: CallOptions): Promise<Result<"getApiKeyLimits">>;
    /** Replaces all three. */
    setLimits(
      id: string,
      limits: KeyLimits,
      options?: CallOptions,
    ): Promise<Result<"setApiKeyLimits">>;
    /**
     * Replaces a key by a new one with the same name and limits, whose secret is only in this
     * result. The old one ends after `overlapHours`, by default 24; 0 revokes it at once.
     */
    rotate(
      id: string,
      options?: CallOptions & { readonly overlapHours?: number | undefined },
    ): Promise<Result<"rotateApiKey">>;
  };
  /** The used and the remaining units of the billing period. */
  usage(options?: CallOptions): Promise<Result<"getUsage">>;
  /** The keys with an end or a cap, and the units that count against their caps. */
  limitUsage(options?: CallOptions): Promise<Result<"getLimitUsage">>;
  /** The units granted beside the plan's, oldest first. */
  grants(options?: CallOptions): Promise<Result<"listGrants">>;
  /** The thresholds of usage at which the account gets mails. */
  thresholds(options?: CallOptions): Promise<Result<"getThresholds">>;
  /** Replaces all of them, at most ten: each has either `percent` or `units`. */
  setThresholds(
    thresholds: components["schemas"]["Thresholds"]["thresholds"],
    options?: CallOptions,
  ): Promise<Result<"setThresholds">>;
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
  const read =
    <Name extends Operation>(path: string) =>
    (options?: CallOptions) =>
      send<Name>(connection, call("GET", path), options);
  const isData = (value: unknown) => value === undefined;
  const keys = "account/api-keys";
  const ofKey = (id: string, what: string) => `${keys}/${segmentOf(id)}/${what}`;
  return {
    keys: {
      create: (name, { limits, ...options } = {}) =>
        send<"createApiKey">(connection, call("POST", keys, { name, ...limits }), options),
      list: read<"listApiKeys">(keys),
      revoke(id, options) {
        const path = `${keys}/${segmentOf(id)}`;
        return send<"revokeApiKey">(connection, { ...call("DELETE", path), isData }, options);
      },
      limits: (id, options) => read<"getApiKeyLimits">(ofKey(id, "limits"))(options),
      setLimits: (id, limits, options) =>
        send<"setApiKeyLimits">(connection, call("PUT", ofKey(id, "limits"), limits), options),
      rotate(id, { overlapHours, ...options } = {}) {
        const body = { overlap_hours: overlapHours };
        return send<"rotateApiKey">(connection, call("POST", ofKey(id, "rotate"), body), options);
      },
    },
    usage: read<"getUsage">("account/usage"),
    limitUsage: read<"getLimitUsage">("account/usage/limits"),
    grants: read<"listGrants">("account/grants"),
    thresholds: read<"getThresholds">("account/thresholds"),
    setThresholds: (thresholds, options) =>
      send<"setThresholds">(connection, call("PUT", "account/thresholds", { thresholds }), options),
    statement: (period, options) =>
      read<"getStatement">(`account/statements/${segmentOf(period)}`)(options),
    logOut: (options) =>
      send<"logOut">(connection, { ...call("POST", "auth/logout"), isData }, options),
  };
}
