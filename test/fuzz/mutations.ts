import { Draws } from "../support/random.ts";
import type { Cast } from "./fixtures.ts";
import { type DocumentedRequest, endsThings } from "./grammar.ts";
import { type Message, valuesOf, withHeader, withoutHeader } from "./message.ts";
import {
  methods,
  oddBodies,
  oddHeaders,
  oddJson,
  oddQueries,
  oddSegments,
  oddTypes,
  strayMembers,
} from "./odd-values.ts";

/** The context of a mutation. */
export interface Circumstances {
  readonly request: DocumentedRequest;
  readonly cast: Cast;
}

type Change = (message: Message, circumstances: Circumstances, draw: Draws) => Message;

/** One change of a request: one seed always makes the same change. */
export interface Mutation {
  readonly name: string;
  readonly seed: number;
}

/** Draws up to a number of changes. */
export function drawMutations(draw: Draws, most: number): readonly Mutation[] {
  const count = draw.below(most + 1);
  return Array.from({ length: count }, () => ({
    name: draw.one(names),
    seed: draw.below(2 ** 31),
  }));
}

export function mutated(
  message: Message,
  mutations: readonly Mutation[],
  circumstances: Circumstances,
): Message {
  const after = mutations.reduce((before, { name, seed }) => {
    const change = changes[name];
    if (change === undefined) throw new Error(`there is no mutation ${name}`);
    return change(before, circumstances, new Draws(seed));
  }, message);
  return endsThings(circumstances.request) ? withPassingSession(after, circumstances.cast) : after;
}

/** Replaces sessions of permanent accounts, which no request may end, with the passing one. */
function withPassingSession(message: Message, { passing, ...permanent }: Cast): Message {
  const accounts = [permanent.reader, permanent.other, permanent.breaker, permanent.spent];
  const replaced = (value: string) =>
    accounts.reduce((text, { session }) => text.replaceAll(session, passing.session), value);
  return { ...message, headers: message.headers.map(([name, value]) => [name, replaced(value)]) };
}

const changes: Readonly<Record<string, Change>> = {
  method: (message, _circumstances, draw) => ({ ...message, method: draw.one(methods) }),
  segment: changeSegment,
  target: changeTarget,
  query: (message, _circumstances, draw) => ({
    ...message,
    target: `${message.target.split("?")[0]}?${latin1(draw.one(oddQueries))}`,
  }),
  header: addHeader,
  "no host": (message) => withoutHeader(message, "host"),
  credential: changeCredential,
  "no credential": (message) => withoutHeader(message, "authorization"),
  value: changeValue,
  member: addMember,
  "no member": removeMember,
  "member twice": repeatMember,
  body: (message, _circumstances, draw) => ({ ...message, body: draw.one(oddBodies) }),
  type: (message, _circumstances, draw) => withHeader(message, "Content-Type", draw.one(oddTypes)),
  "no type": (message) => withoutHeader(message, "content-type"),
  chunks: (message) => ({ ...message, isChunked: true }),
  "HTTP/1.0": (message) => ({ ...message, version: "HTTP/1.0", isChunked: false }),
};

const names = Object.keys(changes).flatMap((name) =>
  // Drawn more often, because they have the most variants.
  ["segment", "header", "credential", "value", "member", "body"].includes(name)
    ? [name, name, name]
    : [name],
);

function latin1(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

function changeSegment(message: Message, _circumstances: Circumstances, draw: Draws): Message {
  const [path = "", ...query] = message.target.split("?");
  const segments = path.split("/");
  segments[1 + draw.below(Math.max(1, segments.length - 1))] = draw.one(oddSegments);
  return { ...message, target: [segments.join("/"), ...query].join("?") };
}

function changeTarget(message: Message, _circumstances: Circumstances, draw: Draws): Message {
  const { target } = message;
  const [path = ""] = target.split("?");
  const targets = [
    ...[`${target}/`, `/${target}`, `//evil.example${target}`, `http://evil.example${target}`],
    ...[
      `/v1/..${target}`,
      `/./${target.slice(1)}`,
      target.toUpperCase(),
      `${path}%3fa=b`,
      "*",
      "/",
    ],
    ...[
      `${path}#a`,
      `${path};a=b`,
      "/openapi.json",
      "/v1",
      "/v1/",
      "/docs",
      "/index.html",
      "/nowhere",
    ],
    ...["/assets/../../package.json", "/..%2f..%2fpackage.json", `${target}\xe4`, `${target}%00`],
    ...[
      "/.env",
      "/.git/config",
      "/v1/account",
      "/v2/rates/EUR/USD",
      "/metrics",
      `/%76${target.slice(2)}`,
    ],
    `${path}${"/a".repeat(800)}`,
  ];
  return { ...message, target: draw.one(targets) };
}

function addHeader(message: Message, { cast }: Circumstances, draw: Draws): Message {
  const [name = "", value = ""] = draw.one(oddHeaders).split(/: (.*)/s);
  const credential = draw.one([cast.reader.apiKey, cast.reader.session]);
  const pair = [name, value.replace("CRED", credential)] as const;
  if (name === "Host") return withHeader(message, ...pair);
  return { ...message, headers: [...message.headers, pair] };
}

function changeCredential(message: Message, circumstances: Circumstances, draw: Draws): Message {
  const { request, cast } = circumstances;
  const { reader, other, spent, passing } = cast;
  const [own = "ApiKey x"] = valuesOf(message, "authorization");
  const [scheme = "", secret = ""] = own.split(" ");
  const another = request.scheme === "Session" ? other.session : draw.one([other, spent]).apiKey;
  const values = [
    ...[`${scheme} ${another}`, `${scheme} ${cast.revokedKey}`, `${scheme} ${cast.endedSession}`],
    ...[`${scheme} ${cast.expiredSession}`, `ApiKey ${secret}`, `Session ${secret}`],
    ...[`Session ${reader.apiKey}`, `ApiKey ${reader.session}`, `ApiKey ${passing.session}`],
    ...[`Bearer ${secret}`, `Basic ${btoa(`x:${secret}`)}`, secret, scheme, `${scheme} `, ""],
    ...[`${scheme}  ${secret}`, `${scheme}\t${secret}`, `${scheme.toUpperCase()} ${secret}`],
    ...[`${scheme} ${secret.toUpperCase()}`, `${scheme} ${secret.slice(0, -1)}`, `${own}0`],
    ...[`${own}, ${own}`, `${own} ${secret}`, `${scheme} "${secret}"`, `${scheme} ${secret}%00`],
    ...[`${scheme} svc_live_${"0".repeat(64)}`, `${scheme} svc_sess_${"f".repeat(64)}`],
    ...[`${scheme} ${secret.slice(0, 17)}`, `${scheme} ' OR '1'='1`, `${scheme} \xe4`, `${own} `],
    ...[`${scheme} ${"a".repeat(4000)}`, `${scheme} __proto__`, `${scheme} ${reader.keyId}`],
  ];
  const value = draw.one(values);
  if (draw.chance(0.1)) {
    return { ...message, headers: [...message.headers, ["Authorization", value]] };
  }
  return withHeader(message, "Authorization", value);
}

/** The members of a body as JSON texts; empty when the body is not an object. */
function membersOf({ body }: Message): [name: string, value: string][] {
  try {
    const parsed: unknown = JSON.parse(body?.toString() ?? "");
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return [];
    return Object.entries(parsed).map(([name, value]) => [name, JSON.stringify(value)]);
  } catch {
    return [];
  }
}

function withMembers(message: Message, members: readonly (readonly [string, string])[]): Message {
  const text = members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",");
  return { ...message, body: Buffer.from(`{${text}}`) };
}

function changeValue(message: Message, _circumstances: Circumstances, draw: Draws): Message {
  const members = membersOf(message);
  if (members.length === 0) return message;
  const chosen = draw.below(members.length);
  const value = draw.one(oddJson);
  return withMembers(
    message,
    members.map(([name, own], index) => [name, index === chosen ? value : own]),
  );
}

function addMember(message: Message, _circumstances: Circumstances, draw: Draws): Message {
  const members = membersOf(message);
  members.splice(draw.below(members.length + 1), 0, [draw.one(strayMembers), draw.one(oddJson)]);
  return withMembers(message, members);
}

function removeMember(message: Message, _circumstances: Circumstances, draw: Draws): Message {
  const members = membersOf(message);
  if (members.length === 0) return message;
  members.splice(draw.below(members.length), 1);
  return withMembers(message, members);
}

function repeatMember(message: Message, _circumstances: Circumstances, draw: Draws): Message {
  const members = membersOf(message);
  if (members.length === 0) return message;
  const [name] = draw.one(members);
  return withMembers(message, [...members, [name, draw.one(oddJson)]]);
}
