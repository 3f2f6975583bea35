import { ask } from "../api/request.ts";
import { curlOf } from "../languages.ts";
import { address } from "../snippets.ts";

/** The parts of the OpenAPI document that the API reference shows. */
interface OpenApi {
  readonly info: { readonly description: string; readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly (Value & { readonly name: string; readonly in: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Value>>;
  readonly content?: Content;
}

/** A parameter or a header. */
interface Value {
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Content {
  readonly "application/json": {
    readonly schema: Schema;
    readonly example?: unknown;
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** One call of the API. */
export interface Call extends Omit<Operation, "security"> {
  readonly method: string;
  readonly path: string;
  readonly group: string;
  /** The name of the scheme of its credential; undefined without one. */
  readonly scheme: string | undefined;
  /** What the scheme's credential looks like, in Markdown. */
  readonly credential: string | undefined;
  /** The part of the page's address that opens it. */
  readonly fragment: string;
}

export interface Description extends Pick<OpenApi, "info" | "tags"> {
  /** In the order of the tags. HEAD, which every GET has, is left out. */
  readonly calls: readonly Call[];
}

/** What has a name and a type: a parameter, a header, or a property of a JSON object. */
export interface Member {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly description: string | undefined;
  readonly example?: unknown;
  readonly members: readonly Member[];
}

export async function loadDescription(): Promise<Description> {
  const document = await ask<OpenApi>("openapi.json");
  const { info, tags, components } = document;
  const paths = resolved(document.paths, document) as OpenApi["paths"];
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== "head")
      .map(([method, { security, ...operation }]): Call => {
        const [group = ""] = operation.tags;
        const [scheme] = security.flatMap(Object.keys);
        const credential = components.securitySchemes[scheme ?? ""]?.description;
        const fragment = `#/${encodeURIComponent(group)}/${operation.operationId}`;
        return { ...operation, method, path, group, scheme, credential, fragment };
      }),
  );
  const inOrder = tags.flatMap(({ name }) => calls.filter(({ group }) => group === name));
  return { info, tags, calls: inOrder };
}

/** A part of the document, with what each `$ref` in it names. The document has no cycle. */
function resolved(part: unknown, document: object): unknown {
  if (Array.isArray(part)) return part.map((each) => resolved(each, document));
  if (typeof part !== "object" || part === null) return part;
  if ("$ref" in part) {
    const names = String(part.$ref).split("/").slice(1);
    const named = names.reduce<unknown>(
      (from, name) => (from as Readonly<Record<string, unknown>>)[name],
      document,
    );
    return resolved(named, document);
  }
  const entries = Object.entries(part).map(([name, value]) => [name, resolved(value, document)]);
  return Object.fromEntries(entries);
}

/** The properties of an object, or of the objects in an array. */
export function membersOf(schema: Schema): readonly Member[] {
  const { items, allOf = [], oneOf = [], properties = {}, required = [] } = schema;
  if (items !== undefined) return membersOf(items);
  const own = Object.entries(properties).map(([name, property]) => ({
    ...memberOf(name, { schema: property, required: required.includes(name) }),
    members: membersOf(property),
  }));
  // A property that is said twice is the last one, which is the narrower.
  const all = [...[...allOf, ...oneOf].flatMap(membersOf), ...own];
  return [...new Map(all.map((member) => [member.name, member])).values()];
}

export function memberOf(name: string, { schema, description, required, example }: Value): Member {
  return {
    name,
    type: typeOf(schema),
    isOptional: required !== true,
    description: description ?? schema.description,
    example,
    members: [],
  };
}

/** A type in words: `integer, 1 to 366, by default 30`. */
function typeOf(schema: Schema): string {
  const { type = "object", format, items, pattern } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return schema.enum.map((each) => JSON.stringify(each)).join(" or ");
  if (items !== undefined) return `array of ${typeOf(items)}`;
  const length = rangeOf(schema.minLength, schema.maxLength);
  const words = [
    [type].flat().join(" or "),
    format,
    rangeOf(schema.minimum, schema.maximum),
    length && `${length} characters`,
    schema.default === undefined ? undefined : `by default ${JSON.stringify(schema.default)}`,
    pattern && `matches ${pattern}`,
  ];
  return words.filter(Boolean).join(", ");
}

function rangeOf(least: number | undefined, most: number | undefined): string | undefined {
  if (least === undefined) return most === undefined ? undefined : `at most ${most}`;
  return most === undefined ? `at least ${least}` : `${least} to ${most}`;
}

/** The environment variables that hold a credential in the examples. */
const variables: Readonly<Record<string, string>> = {
  ApiKey: "KURS_API_KEY",
  Session: "KURS_SESSION",
};

/** A call with the values of its examples, without its optional parameters. */
export function curlOfCall({ method, path, parameters = [], requestBody, scheme }: Call): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    return encodeURIComponent(String(parameters.find((each) => each.name === name)?.example));
  });
  return curlOf({
    method: method.toUpperCase(),
    url: address + filled,
    headers: {},
    json: requestBody?.content["application/json"].example,
    credential: scheme === undefined ? "" : `${scheme} $${variables[scheme]}`,
  });
}
