import fc from "fast-check";
import { assertRefusal, keyRequired, sessionRequired } from "../expected.ts";
import { type Person, someNode, somePerson } from "../names.ts";
import { type Step, step } from "../step.ts";

/** Endpoints that need a session. */
const endpoints = [
  ["GET", "/v1/account/usage"],
  ["GET", "/v1/account/usage/daily"],
  ["GET", "/v1/account/api-keys"],
  ["POST", "/v1/account/api-keys"],
  ["POST", "/v1/auth/logout"],
] as const;

/** Credentials of the wrong scheme: they have no effect. */
export const someMistakenScheme = fc.oneof(
  fc.tuple(somePerson, someNode).map(([person, node]) => sessionAsKey(person, node)),
  fc
    .tuple(somePerson, someNode, fc.constantFrom(...endpoints))
    .map(([person, node, endpoint]) => keyAsSession(person, node, endpoint)),
);

function sessionAsKey(person: Person, node: 0 | 1): Step {
  return step({
    kind: "a session where a key is wanted",
    sentence: `${person} reads EUR/USD with the last session instead of a key`,
    can: (model) => model.session(person, 0) !== undefined,
    async run(model, stage) {
      const token = model.session(person, 0)?.token ?? "";
      const { base, quote } = stage.pairOf("EUR/USD");
      const path = `/v1/rates/${base}/${quote}`;
      assertRefusal(await stage.call(node, "GET", path, { apiKey: token }), keyRequired);
      return assertRefusal(await stage.call(node, "GET", path, { session: token }), keyRequired);
    },
  });
}

function keyAsSession(person: Person, node: 0 | 1, endpoint: (typeof endpoints)[number]): Step {
  const [method, path] = endpoint;
  return step({
    kind: "a key where a session is wanted",
    sentence: `${person} asks ${method} ${path} with key 1 instead of a session`,
    can: (model) => model.key(person, 1) !== undefined,
    async run(model, stage) {
      const secret = model.key(person, 1)?.secret ?? "";
      const json = method === "POST" ? { json: { name: "mine" } } : {};
      const asKey = await stage.call(node, method, path, { apiKey: secret, ...json });
      assertRefusal(asKey, sessionRequired);
      const asSession = await stage.call(node, method, path, { session: secret, ...json });
      return assertRefusal(asSession, sessionRequired);
    },
  });
}
