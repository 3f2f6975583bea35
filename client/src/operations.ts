import type { operations } from "./openapi.ts";

/** The name of an operation in the service's OpenAPI document, such as `getRate`. */
export type Operation = keyof operations;

type Responses<Name extends Operation> = operations[Name]["responses"];
type SuccessStatus = 200 | 201 | 204;

/** The JSON of responses; undefined for those without a body. */
type JsonOf<Documented> = Documented extends { content: { "application/json": infer Body } }
  ? Body
  : undefined;

/** The body of an operation's successful response, as the service sends it. */
export type DataOf<Name extends Operation> = JsonOf<
  Responses<Name>[SuccessStatus & keyof Responses<Name>]
>;

/** Of several operations, what any of them can return. */
type FailureOf<Name extends Operation> = Name extends Operation
  ? JsonOf<Responses<Name>[Exclude<keyof Responses<Name>, SuccessStatus>]>
  : never;

interface RetryAfter {
  /** How long the service, or a proxy, asks to wait; undefined where it does not say. */
  readonly retryAfterSeconds: number | undefined;
}

/** An error response of the service: its body, and its Retry-After. */
export type ServiceError<Name extends Operation> = FailureOf<Name> & RetryAfter;

/**
 * What this client found itself. No code of the service contains a colon.
 *
 * - `client:network`: there is no response, or it broke off. The request may have been processed.
 * - `client:timeout`: the deadline passed first. The request may have been processed.
 * - `client:aborted`: a signal of the program ended the call. The request may have been processed.
 * - `client:response`: the response is none of this API: from a proxy, say, or another server.
 */
export interface ClientError extends RetryAfter {
  readonly code: "client:network" | "client:timeout" | "client:aborted" | "client:response";
  readonly message: string;
  /** What `fetch` threw, or the reason of the signal. */
  readonly cause?: unknown;
}

/** A rate whose publisher has missed more publications since than `maxMissed`. */
export interface StaleRate extends RetryAfter {
  readonly code: "client:stale";
  readonly message: string;
  readonly rate: Readonly<DataOf<"getRate">>;
  /** How many publications; 99 means 99 or more. */
  readonly missed: number;
}

/** Every code that an operation can return, with those of this client. */
export type ErrorCode<Name extends Operation> =
  | Extract<FailureOf<Name>, { readonly code: string }>["code"]
  | ClientError["code"]
  | (Name extends "getRate" ? StaleRate["code"] : never);

/** The units that a call cost; undefined where that is not known. */
export type UnitsCharged = 0 | 1 | undefined;

export interface Success<Data> {
  readonly data: Data;
  readonly error?: undefined;
  readonly unitsCharged: UnitsCharged;
  /** Its body is consumed: see `body`. */
  readonly response: Response;
  /** The text of the response's body, which a signature covers. */
  readonly body: string;
}

export interface Failed<Failure> {
  readonly data?: undefined;
  readonly error: Failure;
  readonly unitsCharged: UnitsCharged;
  /** Undefined where none arrived. Its body is consumed. */
  readonly response: Response | undefined;
}

/** What a call returns: data or an error, never both. */
export type Result<Name extends Operation> =
  | Success<DataOf<Name>>
  | Failed<ServiceError<Name> | ClientError>;

/** A rate, or why there is none. */
export type RateResult =
  | (Success<Readonly<DataOf<"getRate">>> & {
      /** When the cache got the rate (RFC 3339, by the client's clock); undefined for a new one. */
      readonly cachedSince?: string | undefined;
    })
  | Failed<ServiceError<"getRate"> | ClientError | StaleRate>;
