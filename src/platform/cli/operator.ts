import { hostname, userInfo } from "node:os";
import type { Actor } from "../shared/origin.ts";

/** @returns the person who runs this command, as the system knows them, and the machine. */
export function operator(): Actor {
  return { kind: "operator", userName: userName(), hostName: hostname() };
}

/** A container may run under a user id that no list of users names. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
