import type { Entry } from "../publisher.ts";

/** Central banks of Africa. */
export const africanPublishers: readonly Entry[] = [];
