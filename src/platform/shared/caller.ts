/** Why a stored key is rejected. */
export type KeyRejection = "revoked" | "expired" | "suspended";

/** The key of a request, for its log line. */
export interface Caller {
  /** The part of the key that is no secret. */
  readonly keyPrefix: string;
  /** Undefined when the key is not stored, or the store failed. */
  readonly accountId?: string | undefined;
  /** Unset for a key that may read. */
  readonly rejection?: KeyRejection | "unknown" | undefined;
}
