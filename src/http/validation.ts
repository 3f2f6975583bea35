import { createRequire } from "node:module";
import type { FastifyInstance } from "fastify";
import type { TLocalizedValidationError } from "typebox/error";
import type * as Schema from "typebox/schema";

const require = createRequire(import.meta.url);

/** Keeps the framework from loading its own compilers of schemas: they take 33 ms and 16 MB. */
export const withoutCompilers = {
  compilersFactory: { buildValidator: unused, buildSerializer: unused },
};

function unused(): never {
  throw new Error("schemas are compiled by what was set");
}

/** Sets how what comes is checked against its schema, and how what goes is written. */
export function setCompilers(
  app: Pick<FastifyInstance, "setValidatorCompiler" | "setSerializerCompiler">,
): void {
  app.setValidatorCompiler(createValidator);
  // The wire's functions make what the schemas say, in the schemas' order.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
}

/** A part of a route's requests: its body, its path's parameters, … */
interface Part {
  readonly schema: object | boolean;
  readonly httpPart?: string;
}

type Validate = (value: unknown) => { readonly value: unknown } | { readonly error: Errors };
type Errors = TLocalizedValidationError[];

/**
 * Makes what checks a part of a request. It is compiled when the first such request comes: what
 * compiles takes 70 ms and 20 MB to load, and no read needs it.
 */
function createValidator({ schema, httpPart }: Part): Validate {
  // A path's parameters are texts by nature, and the service, not the schema, judges them:
  // checking them took 5 µs of every metered read.
  if (httpPart === "params") return (value) => ({ value });
  let validator: Schema.Validator | undefined;

  return (value) => {
    validator ??= (require("typebox/schema") as typeof Schema).Compile(schema);
    if (validator.Check(value)) return { value };
    const [, errors] = validator.Errors(value);
    return { error: errors };
  };
}
