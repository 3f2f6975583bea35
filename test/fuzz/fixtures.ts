import assert from "node:assert/strict";
import { mixedSeed } from "../support/random.ts";
import type { Target } from "./target.ts";

/** An account that plays a part, and all that only it may see. */
export interface Player {
  readonly name: string;
  readonly email: string;
  /** Its quota is no other's: an answer's RateLimit-Policy tells whose unit it took. */
  readonly quota: number;
  readonly session: string;
  readonly apiKey: string;
  readonly keyId: string;
  readonly keyName: string;
}

/** Who sends requests. Those of one seed and epoch always have the same secrets. */
export interface Cast {
  /** Sends requests of sound bytes: its units are counted exactly. */
  readonly reader: Player;
  /** Another account, whose credentials are right and whose things are none of the reader's. */
  readonly other: Player;
  /** Sends what is broken: whether its units are charged may depend on where it broke. */
  readonly breaker: Player;
  /** Has used up its quota. */
  readonly spent: Player;
  /** Its things may be ended by who has its session. */
  readonly passing: Player & {
    readonly sessions: readonly string[];
    readonly keyIds: readonly string[];
    readonly verification: string;
    readonly reset: string;
  };
  readonly revokedKey: string;
  readonly expiredSession: string;
  readonly endedSession: string;
}

export const PASSWORD = "seven sound secrets";

const DAY_MS = 86_400_000;
const PASSING_SESSIONS = 3;
const PASSING_KEYS = 6;

type Permanent = Omit<Cast, "passing">;

/** Opens the accounts that last for the whole run. */
export async function openPermanentCast(target: Target, seed: number): Promise<Permanent> {
  target.reseed(mixedSeed(seed, -1));
  const early = await openPlayer(target, "early", 1_000_005);
  target.service.clock.advanceMs(DAY_MS);
  const reader = await openPlayer(target, "reader", 1_000_000_001);
  const { id, apiKey: revokedKey } = await target.service.createKey(reader.session, "revoked");
  const how = { session: reader.session };
  await target.service.call("DELETE", `/v1/account/api-keys/${id}`, how);
  const endedSession = await logIn(target, reader.email);
  await target.service.post("/v1/auth/logout", { session: endedSession });
  return {
    reader,
    other: await openPlayer(target, "other", 1_000_000_002),
    breaker: await openPlayer(target, "breaker", 1_000_000_003),
    spent: await openPlayer(target, "spent", 0),
    revokedKey,
    expiredSession: early.session,
    endedSession,
  };
}

/** Opens the account whose keys and sessions the requests of one epoch may end. */
export async function openPassing(
  target: Target,
  seed: number,
  epoch: number,
): Promise<Cast["passing"]> {
  target.reseed(mixedSeed(seed, epoch, 1));
  const name = `passing-${epoch}`;
  const player = await openPlayer(target, name, 1_000_000_004);
  const verification = player.verification;
  const sessions: string[] = [];
  for (let turn = 0; turn < PASSING_SESSIONS; turn += 1) {
    sessions.push(await logIn(target, player.email));
  }
  const keyIds: string[] = [];
  for (let turn = 0; turn < PASSING_KEYS; turn += 1) {
    keyIds.push((await target.service.createKey(player.session, `${name}-key-${turn}`)).id);
  }
  const headers = { "x-forwarded-for": target.newAddress() };
  const json = { email: player.email };
  await target.service.post("/v1/auth/password-reset", { json, headers });
  return { ...player, sessions, keyIds, verification, reset: target.lastSecret() };
}

async function openPlayer(target: Target, name: string, quota: number) {
  const { service, store } = target;
  const email = `${name}@cast.example`;
  const json = { email, password: PASSWORD };
  const headers = { "x-forwarded-for": target.newAddress() };
  const { status, text } = await service.post("/v1/auth/register", { json, headers });
  assert.equal(status, 201, text);
  const verification = target.lastSecret();
  await store.setPlan({ name: `plan-${quota}`, unitsPerPeriod: quota });
  await store.setAccountPlan(email, `plan-${quota}`);
  const session = await logIn(target, email);
  const keyName = `key of ${name}`;
  const { id, apiKey } = await service.createKey(session, keyName);
  return { name, email, quota, session, apiKey, keyId: id, keyName, verification };
}

async function logIn(target: Target, email: string): Promise<string> {
  const headers = { "x-forwarded-for": target.newAddress() };
  const json = { email, password: PASSWORD };
  const { status, body, text } = await target.service.post("/v1/auth/login", {
    json,
    headers,
  });
  assert.equal(status, 200, text);
  return String(body.session_token);
}

/** Every credential and token that one of the cast holds: no answer may repeat any. */
export function secretsOf(cast: Cast): readonly string[] {
  const players = playersOf(cast).flatMap(({ session, apiKey }) => [session, apiKey]);
  const { sessions, verification, reset } = cast.passing;
  const dead = [cast.revokedKey, cast.expiredSession, cast.endedSession];
  return [...players, ...sessions, ...dead, verification, reset, PASSWORD];
}

export function playersOf(cast: Cast): readonly Player[] {
  return [cast.reader, cast.other, cast.breaker, cast.spent, cast.passing];
}

/** What an answer to anyone else must not hold. */
export function marksOf({ email, keyId, keyName }: Player): readonly string[] {
  return [email, keyId, keyName];
}

/** @returns whose credential it is, as long as it is good. */
export function holderOf(cast: Cast, credential: string): Player | undefined {
  return playersOf(cast).find(
    (player) =>
      credential === player.session ||
      credential === player.apiKey ||
      ("sessions" in player && cast.passing.sessions.includes(credential)),
  );
}
