import type { RouteOptions } from "fastify";
import type { Scheme } from "../challenge.ts";
import { errorContent, errorDescription, errorHeaders } from "./errors.ts";
import { type BodySchema, exampleOf } from "./examples.ts";
import { type DocumentedHeaders, everyResponse } from "./headers.ts";
import type { DocumentedResponse } from "./responses.ts";

declare module "fastify" {
  interface FastifySchema {
    /** Whether the document leaves the route out. */
    hide?: boolean;
    operationId?: string;
    tags?: readonly string[];
    summary?: string;
    description?: string;
    security?: readonly Readonly<Partial<Record<Scheme, readonly string[]>>>[];
  }
}

/** A schema of a route's parameters: their schemas by name. */
interface Parameters {
  readonly properties?: Readonly<Record<string, BodySchema & { readonly description?: string }>>;
  readonly required?: readonly string[];
}

/**
 * Makes operations, and notes the header components that they refer to.
 *
 * @param named returns the schema of a component by its reference.
 */
export function createOperations(named: (reference: string) => BodySchema) {
  const components = new Map<string, object>();

  const headersOf = (headers: DocumentedHeaders) => {
    const entries = Object.entries(headers).map(([name, header]) => {
      const { component, ...inline } = header;
      if (component === undefined) return [name, inline];
      components.set(component, inline);
      return [name, { $ref: `#/components/headers/${component}` }];
    });
    return Object.fromEntries(entries);
  };

  const responseOf = (
    status: number,
    response: DocumentedResponse & BodySchema,
    scheme: Scheme | undefined,
  ) => {
    const { failures, description, headers = {}, type, ...schema } = response;
    if (failures !== undefined) {
      return {
        description: errorDescription(failures),
        headers: headersOf({
          ...everyResponse,
          ...errorHeaders(status, scheme),
          ...headers,
        }),
        content: { "application/json": errorContent(failures) },
      };
    }
    const body = type === undefined ? schema : { type, ...schema };
    return {
      description,
      headers: headersOf({ ...everyResponse, ...headers }),
      ...(type === "null" ? {} : { content: jsonContent(body, named) }),
    };
  };

  return {
    /** The headers of all operations so far, by component. */
    headers: components,

    /** @returns the operation of a route with one method. */
    of({ method, schema = {} }: RouteOptions): object {
      const { operationId = "", summary, description, tags, security } = schema;
      const [scheme] = Object.keys(security?.[0] ?? {}) as Scheme[];
      const responses = Object.entries(schema.response ?? {}).map(([status, response]) => {
        const documented = responseOf(Number(status), response, scheme);
        const { content: _content, ...headOnly } = documented;
        return [status, method === "HEAD" ? headOnly : documented];
      });
      const parameters = parametersOf(schema);
      const body = schema.body as BodySchema | undefined;
      return {
        operationId: method === "HEAD" ? headName(operationId) : operationId,
        summary: method === "HEAD" ? `${summary}: headers only` : summary,
        description,
        tags,
        security,
        ...(parameters.length === 0 ? {} : { parameters }),
        ...(body === undefined
          ? {}
          : { requestBody: { required: true, content: jsonContent(body, named) } }),
        responses: Object.fromEntries(responses),
      };
    },
  };
}

/** The name of the HEAD beside a GET: `headRate` beside `getRate`. */
function headName(operationId: string): string {
  const subject = operationId.replace(/^(?:get|list)/, "");
  return `head${subject.charAt(0).toUpperCase()}${subject.slice(1)}`;
}

function jsonContent(schema: BodySchema, named: (reference: string) => BodySchema): object {
  return { "application/json": { schema, example: exampleOf(schema, named) } };
}

function parametersOf(schema: NonNullable<RouteOptions["schema"]>): object[] {
  const { params, querystring, headers } = schema as Readonly<Record<string, Parameters>>;
  return [
    ...parametersIn("path", params),
    ...parametersIn("query", querystring),
    ...parametersIn("header", headers),
  ];
}

function parametersIn(place: string, { properties = {}, required = [] }: Parameters = {}) {
  return Object.entries(properties).map(([name, { description, examples = [], ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description,
    schema,
    example: examples[0],
  }));
}
