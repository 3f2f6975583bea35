import type { TObject } from "typebox";
import type { ApiKeys } from "../../customers/api-keys/api-keys.ts";
import { UsageSchema, usageJson } from "../../customers/billing/json.ts";
import type { UsageReads } from "../../customers/billing/usage.ts";
import type { Caller } from "../../platform/shared/caller.ts";
import { Failure } from "../../platform/shared/failure.ts";
import { nullable, Type } from "../../platform/shared/json-schema.ts";
import { signatureHeaders } from "../../rates/served/headers.ts";
import { RateSchema, rateJson } from "../../rates/served/json.ts";
import { type PastMoment, type PastRate, parsePastDate } from "../../rates/served/rules/past.ts";
import { rateBody, type ServedRate } from "../../rates/served/rules/rate.ts";
import { pairName } from "../../rates/served/rules/symbol.ts";
import type { Conversion, ConvertCurrency } from "../metering/convert.ts";
import type { ReadRate, UnitsCharged } from "../metering/read-rate.ts";
import { MAX_AMOUNT_DIGITS } from "../metering/rules.ts";

export type Arguments = Readonly<Record<string, unknown>>;

/** A tool, defined once for both implementations of calls. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: TObject;
  readonly outputSchema: TObject;
  readonly annotations: Annotations;
  /** The price of a call, in the tool's `_meta` as `kurs/units`. */
  readonly units: 0 | 1;
  /** @throws {Failure} when the key is rejected; nothing is charged. */
  run(apiKey: string | undefined, args: Arguments): Promise<ToolOutcome>;
}

/** Hints by which clients decide whether to ask their user before a call. */
interface Annotations {
  readonly readOnlyHint: true;
  readonly destructiveHint: false;
  /** False where a second call costs a second unit: then no client repeats it by itself. */
  readonly idempotentHint: boolean;
  readonly openWorldHint: false;
}

interface ToolOutcome {
  /** The JSON of the value, which matches the output schema; or the failure. */
  readonly result: string | Failure;
  /** A sentence about the value, for a text of its own. */
  readonly note?: string | undefined;
  /** What the headers of a read over REST say, for the result's `_meta`. */
  readonly headers: readonly string[];
  readonly unitsCharged: UnitsCharged;
  readonly caller: Caller | undefined;
}

export type Tools = ReadonlyMap<string, Tool>;

/** The tools whose calls cost a unit. */
export const CHARGED_TOOLS = ["get_rate", "convert_currency"] as const;
const [GET_RATE, CONVERT_CURRENCY] = CHARGED_TOOLS;

const reading = { readOnlyHint: true, destructiveHint: false, openWorldHint: false } as const;
const costsOneUnit = { units: 1, annotations: { ...reading, idempotentHint: false } } as const;
const costsNothing = { units: 0, annotations: { ...reading, idempotentHint: true } } as const;

// The schemas are loose: the service validates symbols and amounts, as it does over REST, so that
// " eur " works and "E" is rejected as a symbol, and uncharged.
const SYMBOL = "2 to 10 of A-Z and 0-9";
const base = Type.String({
  description: `Symbol of the priced asset: ${SYMBOL}`,
  examples: ["EUR"],
});
const quote = Type.String({
  description: `Symbol of the asset it is priced in: ${SYMBOL}`,
  examples: ["USD"],
});
const amount = Type.String({
  description:
    `Amount of the base as a decimal string: not negative, at most ${MAX_AMOUNT_DIGITS} digits, ` +
    "no exponent, no separators",
  examples: ["1250.50"],
});

const EXAMPLE_OF_DATE = "2025-10-14";
const date = Type.Optional(
  nullable({
    description:
      "Only for a historical rate: the figure for this date, by the publisher's own dates, or " +
      "the last one before it. Without it the newest",
    examples: [EXAMPLE_OF_DATE],
  }),
);

const examples: Record<string, string> = { base: "EUR", quote: "USD", amount: "1250.50" };

const { properties: rateFields } = RateSchema;

const conversionFields = {
  ...rateFields,
  amount: Type.String({ description: "As it was given" }),
  result: Type.String({
    description: "amount times rate: exact, unrounded",
    examples: ["1435.073800"],
  }),
};

/**
 * A schema of exactly these members, down to the innermost object. OpenAI's strict mode accepts no
 * other: each object lists every member as required and allows no further one.
 *
 * @param optional may be left out, or null: what makes a schema strict requires them.
 */
function exactly(properties: TObject["properties"], optional: TObject["properties"] = {}): TObject {
  const inner = Object.entries(properties).map(([name, schema]) => [
    name,
    "properties" in schema ? exactly((schema as TObject).properties) : schema,
  ]);
  const members = Object.fromEntries(inner) as TObject["properties"];
  const required = Object.keys(members);
  return Type.Object({ ...members, ...optional }, { required, additionalProperties: false });
}

const ONE_UNIT =
  "Costs one unit of the account's monthly quota, also when the pair is not supported";

export function createTools(deps: {
  readonly readRate: ReadRate;
  readonly convertCurrency: ConvertCurrency;
  readonly usage: Pick<UsageReads, "readUsage">;
  readonly apiKeys: Pick<ApiKeys, "authenticate">;
}): Tools {
  const { readRate, convertCurrency, apiKeys } = deps;

  const reject = async (apiKey: string | undefined, violation: string): Promise<ToolOutcome> => {
    const caller = await apiKeys.authenticate(apiKey);
    const result = new Failure("invalid_request", violation);
    return { result, headers: [], unitsCharged: 0, caller };
  };

  const tools: Tool[] = [
    {
      name: GET_RATE,
      title: "Get a rate",
      description:
        "Reads the stored direct exchange rate of a pair, exactly as its publisher wrote it: how " +
        "much of the quote one unit of the base costs, and as of when. EUR/USD does not give " +
        `USD/EUR. ${ONE_UNIT}; a malformed symbol costs nothing.`,
      inputSchema: exactly({ base, quote }, { date }),
      outputSchema: exactly(rateFields),
      ...costsOneUnit,
      run(apiKey, { base = "", quote = "", date }: Texts) {
        const past = pastOf(date);
        return readRate(apiKey, base, quote, past).then(({ result, unitsCharged, caller }) => {
          if (result instanceof Failure) return { result, headers: [], unitsCharged, caller };
          const note = noteOn(result, past);
          return { result: rateBody(result), note, headers: result.headers, unitsCharged, caller };
        });
      },
    },
    {
      name: CONVERT_CURRENCY,
      title: "Convert an amount",
      description:
        "Multiplies an amount of the base by the stored direct rate, exactly and unrounded, and " +
        `also returns the rate. ${ONE_UNIT}; a malformed symbol or amount costs nothing.`,
      inputSchema: exactly({ base, quote, amount }, { date }),
      outputSchema: exactly(conversionFields),
      ...costsOneUnit,
      run(apiKey, { base = "", quote = "", amount = "", date }: Texts) {
        const past = pastOf(date);
        return convertCurrency(apiKey, base, quote, amount, past).then((conversion) => {
          const { result, ...others } = conversion;
          if (result instanceof Failure) return { result, headers: [], ...others };
          const json = JSON.stringify(conversionJson(result));
          const note = noteOn(result.rate, past);
          return { result: json, note, headers: withoutSignature(result.rate), ...others };
        });
      },
    },
    {
      name: "get_usage",
      title: "Get the usage",
      description:
        "Reads how many units of the monthly quota the account has used and has left, and when " +
        "the billing period ends, without the limits of the key. Costs nothing.",
      inputSchema: exactly({}),
      outputSchema: exactly(UsageSchema.properties),
      ...costsNothing,
      run: async (apiKey) => {
        const caller = await apiKeys.authenticate(apiKey);
        const usage = await deps.usage.readUsage(caller.accountId);
        return { result: JSON.stringify(usageJson(usage)), headers: [], unitsCharged: 0, caller };
      },
    },
  ];
  const strict = tools.map((tool): Tool => {
    const run: Tool["run"] = (apiKey, args) => {
      const violation = violationOf(tool, args);
      return violation === undefined ? tool.run(apiKey, args) : reject(apiKey, violation);
    };
    return { ...tool, run };
  });
  return new Map(strict.map((tool) => [tool.name, tool]));
}

/** The arguments of a tool, without violations. */
type Texts = Readonly<Record<string, string | undefined>>;

/** @returns what is wrong with the arguments of a tool. */
function violationOf({ name: tool, inputSchema }: Tool, args: Arguments): string | undefined {
  const { properties, required = [] } = inputSchema;
  const names = Object.keys(properties);
  // The SDK drops __proto__.
  const other = Object.keys(args).find((name) => !names.includes(name) && name !== "__proto__");
  const taken = names.join(", ") || "none";
  if (other !== undefined)
    return `${tool} has no argument ${other.slice(0, 64)}: it takes ${taken}.`;
  const wrong = required.find((name) => typeof args[name] !== "string");
  if (wrong !== undefined) {
    if (args[wrong] === undefined) return `${wrong} is missing.`;
    return `${wrong} must be a string such as "${examples[wrong]}".`;
  }
  const { date } = args;
  // Of clients that fill in every argument, null is none.
  if (date === undefined || date === null) return undefined;
  if (typeof date === "string" && parsePastDate(date) !== undefined) return undefined;
  return `date must be a date such as "${EXAMPLE_OF_DATE}", or be left out for the newest rate.`;
}

const pastOf = (date: string | undefined) => parsePastDate(date ?? "");

/** Says of which date a rate is; undefined for the newest, whose `as_of` says it. */
function noteOn(rate: ServedRate | PastRate, past: PastMoment | undefined): string | undefined {
  if (past?.date === undefined || !("date" in rate)) return undefined;
  const why = rate.date === past.date ? "" : `: the last one stored on or before ${past.date}`;
  return `${pairName(rate)}: the figure of ${rate.date}${why}.`;
}

/** A signature covers the body of the rate, which a conversion's is not. */
function withoutSignature({ headers }: ServedRate): readonly string[] {
  const isKept = (index: number) => !signatureHeaders.has(headers[index - (index % 2)] ?? "");
  return headers.filter((_, index) => isKept(index));
}

function conversionJson({ rate, amount: typed, result }: Conversion) {
  return { ...rateJson(rate), amount: typed, result };
}
