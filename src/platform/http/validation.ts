import { createRequire } from "node:module";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { TLocalizedValidationError } from "typebox/error";
import type * as Schema from "typebox/schema";
import { Failure } from "../shared/failure.ts";
import { charactersExcludedBy } from "../shared/json-schema.ts";
import { parseWholeNumber } from "../shared/text/whole-number.ts";

const require = createRequire(import.meta.url);

/** Keeps the framework from loading its own schema compilers, which take 33 ms and 16 MB. */
export const withoutCompilers = {
  compilersFactory: { buildValidator: unused, buildSerializer: unused },
};

function unused(): never {
  throw new Error("setCompilers sets the schema compilers");
}

/** Sets the validator of requests and the serializer of responses. */
export function setCompilers(
  app: Pick<FastifyInstance, "setValidatorCompiler" | "setSerializerCompiler">,
): void {
  app.setValidatorCompiler(createValidator);
  // The *Json functions return the schemas' members, in the schemas' order.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
}

/** A part of a route's requests: the body, the path parameters, … */
interface Part {
  readonly schema: object | boolean;
  readonly httpPart?: string;
}

type Validate = (value: unknown) => { readonly value: unknown } | { readonly error: Errors };
type Errors = TLocalizedValidationError[];

/**
 * Creates the validator of a part of a request. The first such request compiles it: the compiler
 * takes 70 ms and 20 MB to load, and no read needs it.
 */
function createValidator({ schema, httpPart }: Part): Validate {
  // Path parameters and headers are always strings, and the service, not the schema, validates
  // them: checking the former took 5 µs of every metered read.
  if (httpPart === "params" || httpPart === "headers") return (value) => ({ value });
  let validator: Schema.Validator | undefined;

  return (value) => {
    validator ??= (require("typebox/schema") as typeof Schema).Compile(schema);
    if (validator.Check(value)) return { value };
    const [, errors] = validator.Errors(value);
    return { error: errors };
  };
}

/**
 * Converts a parameter of the query to a whole number from 1 to `max`. It runs before the
 * validator, which would convert the texts "1.5" and "true" to 1.
 *
 * @returns the hook, and the failure that it throws for any other text.
 */
export function wholeNumberIn(name: string, max: number) {
  const rule = `${name} must be a whole number from 1 to ${max.toLocaleString("en")}.`;
  const failure = new Failure("invalid_request", rule);
  const check = async (request: Pick<FastifyRequest, "query">): Promise<void> => {
    const query = request.query as Record<string, unknown>;
    const { [name]: text } = query;
    if (text === undefined) return;
    const value = typeof text === "string" ? parseWholeNumber(text, 1, max) : undefined;
    // In one form only: 01 is none.
    if (value === undefined || String(value) !== text) throw failure;
    query[name] = value;
  };
  return { check, failure };
}

/** @returns the failure of a body that violates its schema, with the field and the rule. */
export function schemaFailure(errors: readonly TLocalizedValidationError[]): Failure {
  const [error] = errors;
  return new Failure("invalid_request", error === undefined ? "invalid" : ruleOf(error));
}

function ruleOf(error: TLocalizedValidationError): string {
  const field = error.instancePath.slice(1).replaceAll("/", ".");
  if (error.keyword === "required") return `${error.params.requiredProperties[0]} is missing.`;
  if (field === "") return "The request body must be a JSON object.";
  if (error.keyword === "format") {
    const { format } = error.params;
    return `${field} must be ${format === "email" ? "an email address" : `a ${format}`}.`;
  }
  if (error.keyword === "minLength") return `${field} must not be empty.`;
  if (error.keyword === "maxLength") {
    return `${field} must have at most ${error.params.limit} characters.`;
  }
  if (error.keyword === "pattern") {
    const characters = charactersExcludedBy(String(error.params.pattern));
    if (characters !== undefined) return `${field} must not hold ${characters}.`;
  }
  return `${field} ${error.message}.`;
}
