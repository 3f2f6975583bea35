/** The public part of a key that signs rates. */
export interface PublicSigningKey {
  /** The thumbprint of its JWK (RFC 7638). */
  readonly id: string;
  /** Ed25519: 32 bytes in base64url. */
  readonly publicKey: string;
}

/** What a signature covers. */
export interface SignedContent {
  /** The body of the response with the rate. */
  readonly body: string;
  /** The value of its header Rate-Source. */
  readonly rateSource: string;
  /** In seconds since 1970. */
  readonly createdSeconds: number;
  /** The request's header of that name, of a read of a past time. */
  readonly acceptDatetime?: string;
}

/** A key that signs rates. Nothing can read its private part. */
export interface SigningKey extends PublicSigningKey {
  /** Blocks for 0.1 ms. @returns the signature's headers: alternating names and values. */
  sign(content: SignedContent): readonly string[];
  /** As `sign`, on another thread. */
  signLater(content: SignedContent): Promise<readonly string[]>;
  /** Signs any bytes. @returns a JWS (RFC 7515) without them: `header..signature`, with EdDSA. */
  signDetached(payload: Uint8Array): Promise<string>;
}

/** The public keys of every node and command that has signed rates of a store. */
export interface SigningKeyStore {
  /** Adds a node's key, if it is new. */
  add(key: PublicSigningKey, now: string): Promise<void>;
  /** The keys of which a stored rate has a signature, ordered by their first use. */
  listInUse(): Promise<PublicSigningKey[]>;
}

/** The keys with which clients verify responses: a node's own, and those of stored signatures. */
export type ListPublicKeys = () => Promise<readonly PublicSigningKey[]>;

export function createListPublicKeys(
  { signingKeys }: { readonly signingKeys: Pick<SigningKeyStore, "listInUse"> },
  own: PublicSigningKey | undefined,
): ListPublicKeys {
  return async () => {
    const others = (await signingKeys.listInUse()).filter(({ id }) => id !== own?.id);
    return own === undefined ? others : [own, ...others];
  };
}
