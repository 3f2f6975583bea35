import { ApiError } from "./api/request.ts";

/**
 * A browser sends no header with characters outside Latin-1, such as the "…" of a key's prefix.
 *
 * @throws {ApiError} for a text that cannot be a key.
 */
export function completeKey(text: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]*$/.test(key)) return key;
  const whatToDo = "Paste the whole key, svc_live_ and 64 characters, or create another.";
  throw new ApiError("unauthorized", `This is not a complete key. ${whatToDo}`);
}
