import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Passwords } from "../passwords.ts";
import { createHashPool } from "./hash-pool.ts";

/** Argon2id with the minimum of OWASP's Password Storage Cheat Sheet: 19 MiB, t=2, p=1. */
const CURRENT = { memory: 19_456, passes: 2, parallelism: 1 } as const;

const SALT_BYTES = 16;
const TAG_BYTES = 32;

interface Argon2Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** Uses Argon2id, with salts of the operating system's randomness. */
export function createPasswords(pool = createHashPool()): Passwords {
  const computeTag = (password: string, salt: Uint8Array, parameters: Argon2Parameters) =>
    pool.hash({ ...parameters, message: password, nonce: salt, tagLength: TAG_BYTES });

  // Checked against when there is no account: the check then takes as long and always fails.
  const dummyHash = phcString(CURRENT, randomBytes(SALT_BYTES), randomBytes(TAG_BYTES));

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      return phcString(CURRENT, salt, await computeTag(password, salt, CURRENT));
    },
    async verify(stored, password) {
      const { parameters, salt, tag } = parsePhcString(stored ?? dummyHash);
      const matches = timingSafeEqual(await computeTag(password, salt, parameters), tag);
      return { matches: matches && stored !== undefined, outdated: isWeaker(parameters) };
    },
    queue: pool.queue,
    close: pool.close,
  };
}

function isWeaker({ memory, passes }: Argon2Parameters): boolean {
  return memory < CURRENT.memory || passes < CURRENT.passes;
}

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

/** The PHC string format: the algorithm, its parameters, salt and tag. */
function phcString(parameters: Argon2Parameters, salt: Uint8Array, tag: Uint8Array): string {
  const { memory, passes, parallelism } = parameters;
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replaceAll("=", "");
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

function parsePhcString(text: string) {
  const [, memory, passes, parallelism, salt = "", tag = ""] = phc.exec(text) ?? [];
  if (memory === undefined) throw new Error("a stored password has an unknown form");
  return {
    parameters: {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
    },
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64"),
  };
}
