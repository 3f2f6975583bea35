import fc from "fast-check";
import { ACCEPT, VERSION_OF } from "./messages.ts";

/** A request: headers except the credential, and the text of the body, which is JSON. */
export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

// Values are JSON texts: JSON.stringify cannot produce some of them, such as a member __proto__, a
// repeated member, or 1.0.

type Json = fc.Arbitrary<string>;

const odd: Json = fc.constantFrom(
  ...["null", "true", "5", "1.5", "-0", "1e400", "9007199254740993", '""', '"x"', '"\\ud800"'],
  ...["[]", "[1]", "{}", '{"a":1}', '{"__proto__":{"q":1},"base":"EUR"}', '{"toString":1}'],
);

const text = (...values: string[]): Json => fc.constantFrom(...values.map((one) => `"${one}"`));

/** Mostly one value, sometimes an unusual one or none. */
function mostly(usual: Json, share = 24): fc.Arbitrary<string | undefined> {
  return fc.oneof(
    { weight: share, arbitrary: usual },
    { weight: 1, arbitrary: odd },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

const never = fc.constant(undefined);

/** Mostly nothing. */
const seldom = (value: Json): fc.Arbitrary<string | undefined> =>
  fc.oneof({ weight: 1, arbitrary: value }, { weight: 30, arbitrary: never });

const strayNames = ["foo", "__proto__", "constructor", "result", "error", "id", "name", "method"];

/** An object with these members in this order; sometimes with another or a repeated one. */
function object(members: Readonly<Record<string, fc.Arbitrary<string | undefined>>>): Json {
  const names = Object.keys(members);
  const stray = fc
    .tuple(fc.constantFrom(...strayNames), odd)
    .map(([name, value]) => `"${name}":${value}`);
  return fc.tuple(seldom(stray), ...Object.values(members)).map(([more, ...values]) => {
    const given = values.flatMap((value, index) =>
      value === undefined ? [] : [`"${names[index]}":${value}`],
    );
    if (more !== undefined) given.splice(1, 0, more);
    return `{${given.join(",")}}`;
  });
}

const tools = ["get_rate", "get_rate", "convert_currency", "convert_currency", "get_usage"];
const noTools = ["nope", "", "GET_RATE", " get_rate", "constructor", "__proto__", "toString"];

const symbols = (usual: string) =>
  mostly(fc.oneof({ weight: 8, arbitrary: text(usual) }, text(` ${usual} `, "E", "XXX", "ß")));

const pair = { base: symbols("EUR"), quote: symbols("USD") };
const amount = mostly(text("1", "1250.50", "0", "1e5", "-1", "9".repeat(40), "9".repeat(41)), 12);

/** Of each tool; the tool is drawn apart. */
const given = fc.oneof(object(pair), object({ ...pair, amount }), object({}));

const ids: Json = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("1", "0", "-7", "1.0", "1e3", "9007199254740991") },
  { weight: 1, arbitrary: text("a", "", "__proto__", "\\ud800", "\\u2028") },
);

const otherMethods = text(
  ...["tools/list", "ping", "initialize", "server/discover", "subscriptions/listen", "Tools/Call"],
  ...["notifications/initialized", "resources/list", "logging/setLevel", "constructor", ""],
);

const progressToken: Json = fc.oneof(
  { weight: 3, arbitrary: text("t", "", "\\ud800") },
  { weight: 3, arbitrary: fc.constantFrom("0", "1", "-7", "1e3", "9007199254740991") },
  { weight: 1, arbitrary: odd },
);

const metaOf = (isModern: boolean) => {
  const prefix = "io.modelcontextprotocol/";
  const version = isModern
    ? mostly(
        fc.oneof({ weight: 30, arbitrary: text("2026-07-28") }, text("2025-11-25", "2099-01-01")),
      )
    : seldom(text("2025-11-25", "2026-07-28"));
  const capabilities = fc.constantFrom("{}", '{"roots":{}}', '{"sampling":{},"elicitation":{}}');
  return object({
    [`${prefix}protocolVersion`]: version,
    [`${prefix}clientCapabilities`]: isModern ? mostly(capabilities) : seldom(capabilities),
    [`${prefix}clientInfo`]: seldom(fc.oneof(fc.constant('{"name":"a","version":"1"}'), odd)),
    [`${prefix}logLevel`]: seldom(fc.oneof(text("info"), odd)),
    [`${prefix}related-task`]: seldom(fc.oneof(fc.constant('{"taskId":"t"}'), odd)),
    progressToken: isModern ? seldom(progressToken) : mostly(progressToken),
  });
};

const paramsOf = (isModern: boolean, name: string) =>
  object({
    name: mostly(fc.constant(JSON.stringify(name)), 60),
    arguments: mostly(given),
    task: seldom(odd),
    requestState: seldom(odd),
    inputResponses: seldom(odd),
    _meta: isModern ? mostly(metaOf(true), 60) : fc.oneof(never, never, metaOf(false)),
  });

function messageOf(isModern: boolean, name: string): Json {
  const method = fc.oneof({ weight: 14, arbitrary: text("tools/call") }, otherMethods);
  const message = object({
    jsonrpc: mostly(text("2.0"), 60),
    id: mostly(ids),
    method: mostly(method, 60),
    params: mostly(paramsOf(isModern, name), 60),
  });
  return fc.oneof(
    { weight: 40, arbitrary: message },
    { weight: 1, arbitrary: message.map((one) => `[${one}]`) },
    { weight: 1, arbitrary: fc.tuple(message, message).map((both) => `[${both.join(",")}]`) },
    { weight: 1, arbitrary: odd },
  );
}

type Header = fc.Arbitrary<string | undefined>;

/** Mostly one value, sometimes another or none. */
const header = (usual: string | undefined, ...others: string[]): Header =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constant(usual) },
    { weight: 2, arbitrary: fc.constantFrom(...others) },
    { weight: 1, arbitrary: never },
  );

const versions = ["", "banana", "1.0", "2024-10-07", "2025-03-26", "2025-11-25", "2026-07-28"];

const headersFor = (isModern: boolean, name: string) =>
  fc.record({
    "content-type": header(
      "application/json",
      ...["application/json; charset=utf-8", "Application/JSON;", "text/plain", "", "*/*"],
    ),
    accept: header(
      ACCEPT,
      ...["*/*", "application/json", "text/event-stream;q=1,application/json", "application/*"],
      ...["APPLICATION/JSON", "application/json;q=0", "text/event-stream", "text/html", "", ","],
      "application/json,text/event-stream",
    ),
    "mcp-protocol-version": header(VERSION_OF[isModern ? "2026" : "2025"], ...versions),
    "mcp-method": header(isModern ? "tools/call" : undefined, "tools/list", "", "Tools/call"),
    "mcp-name": header(
      isModern ? name : undefined,
      ...["get_usage", "", `${name}, ${name}`, "=?base64?Z2V0X3JhdGU=?=", "=?base64?*?="],
    ),
  });

/** Any request of either era: most are complete, many have something unusual, some are broken. */
export const anyPost: fc.Arbitrary<Post> = fc
  .tuple(
    fc.boolean(),
    fc.oneof(
      { weight: 10, arbitrary: fc.constantFrom(...tools) },
      { weight: 1, arbitrary: fc.constantFrom(...noTools) },
    ),
  )
  .chain(([isModern, name]) =>
    fc.record({ headers: headersFor(isModern, name), text: messageOf(isModern, name) }),
  )
  .map(({ headers, text }) => {
    const present = Object.entries(headers).filter(([, value]) => value !== undefined);
    return { headers: Object.fromEntries(present) as Record<string, string>, text };
  });
