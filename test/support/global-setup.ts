import { COMPILE_CACHE } from "./compile-cache.ts";

/**
 * Lets the processes of a whole run, one for each file, inherit a cache of compiled code: a file
 * that starts a service is ready to do so after 0.35 s of processor time instead of 0.75 s.
 */
export function globalSetup(): void {
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
}
