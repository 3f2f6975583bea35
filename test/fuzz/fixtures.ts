import assert from "node:assert/strict";
import { BY } from "../contract/suite/database.ts";
import { mixedSeed } from "../support/random.ts";
import type { Target } from "./target.ts";

/** An account with a role in the run, and the data that only it may see. */
export interface Player {
  readonly name: string;
  readonly email: string;
  /** Unique, so that a response's RateLimit-Policy shows which account was charged. */
  readonly quota: number;
  readonly session: string;
  readonly apiKey: string;
  readonly keyId: string;
  readonly keyName: string;
}

/** The accounts that send requests. One seed and epoch always gives the same secrets. */
export interface Cast {
  /** Sends well-formed requests: its units are counted exactly. */
  readonly reader: Player;
  /** Another account with valid credentials, whose data the reader must not see. */
  readonly other: Player;
  /** Sends malformed bytes: whether they are charged depends on the position of the error. */
  readonly breaker: Player;
  /** Has an exhausted quota. */
  readonly spent: Player;
  /** Requests may end its sessions and revoke its keys. */
  readonly passing: Player & {
    readonly sessions: readonly string[];
    readonly sessionIds: readonly string[];
    readonly keyIds: readonly string[];
    readonly verification: string;
    readonly reset: string;
  };
  /** Requests may delete these accounts, and end all but one of their sessions. */
  readonly leaving: readonly Player[];
  readonly revokedKey: string;
  readonly expiredSession: string;
  readonly endedSession: string;
}

export const PASSWORD = "seven sound secrets";

const DAY_MS = 86_400_000;
const PASSING_SESSIONS = 3;
const PASSING_KEYS = 6;
const LEAVING = 3;

type Permanent = Omit<Cast, "passing" | "leaving">;

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

/** Opens the accounts that requests of one epoch may delete. */
export async function openLeaving(target: Target, seed: number, epoch: number): Promise<Player[]> {
  target.reseed(mixedSeed(seed, epoch, 2));
  const players: Player[] = [];
  for (let count = 0; count < LEAVING; count += 1) {
    players.push(await openPlayer(target, `leaving-${epoch}-${count}`, 1_000_000_006));
  }
  return players;
}

/** Opens the account whose keys and sessions requests of one epoch may end. */
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
  for (let count = 0; count < PASSING_SESSIONS; count += 1) {
    sessions.push(await logIn(target, player.email));
  }
  const listed = await target.service.get("/v1/account/sessions", { session: player.session });
  // Its own session lasts, for requests that create.
  const sessionIds = (listed.body.sessions as readonly { id: string; current: boolean }[])
    .filter(({ current }) => !current)
    .map(({ id }) => id);
  const keyIds: string[] = [];
  for (let count = 0; count < PASSING_KEYS; count += 1) {
    keyIds.push((await target.service.createKey(player.session, `${name}-key-${count}`)).id);
  }
  const headers = { "x-forwarded-for": target.newAddress() };
  const json = { email: player.email };
  await target.service.post("/v1/auth/password-reset", { json, headers });
  return { ...player, sessions, sessionIds, keyIds, verification, reset: target.lastSecret() };
}

async function openPlayer(target: Target, name: string, quota: number) {
  const { service, store } = target;
  const email = `${name}@cast.example`;
  const json = { email, password: PASSWORD };
  const headers = { "x-forwarded-for": target.newAddress() };
  const { status, text } = await service.post("/v1/auth/register", { json, headers });
  assert.equal(status, 201, text);
  const verification = target.lastSecret();
  await store.plans.set({ name: `plan-${quota}`, unitsPerPeriod: quota }, BY);
  await store.accounts.setPlan(email, `plan-${quota}`, BY);
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

/** Every credential and token of the cast: no response may contain one. */
export function secretsOf(cast: Cast): readonly string[] {
  const players = playersOf(cast).flatMap(({ session, apiKey }) => [session, apiKey]);
  const { sessions, verification, reset } = cast.passing;
  const invalid = [cast.revokedKey, cast.expiredSession, cast.endedSession];
  return [...players, ...sessions, ...invalid, verification, reset, PASSWORD];
}

export function playersOf(cast: Cast): readonly Player[] {
  return [cast.reader, cast.other, cast.breaker, cast.spent, cast.passing, ...cast.leaving];
}

/** Data that a response to another account must not contain. */
export function marksOf({ email, keyId, keyName }: Player): readonly string[] {
  return [email, keyId, keyName];
}

/** @returns the account of a valid credential. */
export function holderOf(cast: Cast, credential: string): Player | undefined {
  return playersOf(cast).find(
    (player) =>
      credential === player.session ||
      credential === player.apiKey ||
      ("sessions" in player && cast.passing.sessions.includes(credential)),
  );
}
