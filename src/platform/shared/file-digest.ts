/** The digest of a file that is not kept. */
export interface FileDigest {
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
  readonly bytes: number;
}
