import { createRequire } from "node:module";
import type { TLocalizedValidationError } from "typebox/error";
import type * as Schema from "typebox/schema";

const require = createRequire(import.meta.url);

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
export function createValidator({ schema, httpPart }: Part): Validate {
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
