/**
 * Makes each half of V8's young generation grow to 16 MiB instead of 32, in a server, whose objects
 * live as long as a request: reads take the same processor time, and a server under load 27 MiB
 * less (docs/decisions/0016-a-server-limits-its-young-generation.md).
 */
export const YOUNG_GENERATION_FLAG = "--max-semi-space-size=16";
