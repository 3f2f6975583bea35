/**
 * Uses a storage or channel of the browser. One that blocks cookies blocks these, too: then the
 * result is undefined.
 */
export function unlessBlocked<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
