import type { App } from "../../platform/http/fastify.ts";
import { documentedResponses } from "../../platform/http/openapi/responses.ts";
import { Type } from "../../platform/shared/json-schema.ts";
import { publicKeysJson } from "./json.ts";
import type { ListPublicKeys } from "./signing-key.ts";

const publicKeysSchema = {
  operationId: "getPublicKeys",
  tags: ["Rates"],
  summary: "Get the public keys that verify signed rates",
  description:
    "A JSON Web Key Set (RFC 7517): the key with which this node signs, and every key of which a " +
    "signature is still served. Without signatures it is empty.",
  security: [],
  response: documentedResponses({ 200: Type.Ref("PublicKeys#", { description: "The keys" }) }, []),
};

/** The path that RFC 8615 reserves for such documents; clients of OAuth look for others. */
const PUBLIC_KEYS_PATH = "/.well-known/jwks.json";

export function publicKeyRoutes(
  app: App,
  { listPublicKeys }: { readonly listPublicKeys: ListPublicKeys },
): void {
  app.get(PUBLIC_KEYS_PATH, { schema: publicKeysSchema }, async () =>
    publicKeysJson(await listPublicKeys()),
  );
}
