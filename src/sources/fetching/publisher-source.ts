import type { Clock } from "../../shared/clock.ts";
import { ParseError, type Publisher } from "../publishers/publisher.ts";
import { type Fetched, type RateSource, SourceError } from "../source.ts";
import { type FetchedResponse, type HttpLimits, httpGet, type Validators } from "./http-get.ts";
import { createSchedule } from "./schedule.ts";

/** Creates a publisher's source: it fetches the publisher's addresses and parses the responses. */
export function createPublisherSource(
  publisher: Publisher,
  settings: {
    readonly userAgent: string;
    readonly limits: HttpLimits;
    readonly clock: Clock;
  },
): RateSource {
  const { key, name, country, group, terms, termsUrl, addresses, schedule, rarerPairs, parse } = publisher;
  const hosts = addresses.map((address) => new URL(address).host);

  return {
    key,
    name,
    country,
    group,
    terms,
    termsUrl,
    schedule: createSchedule(schedule),
    ...(rarerPairs && {
      rarerPairs: { ...rarerPairs, schedule: createSchedule(rarerPairs.schedule) },
    }),

    async fetch(storedValidators, signal): Promise<Fetched> {
      const known = validatorsOf(storedValidators);
      const get = (address: string, validators: Validators) =>
        httpGet(address, { ...settings, hosts, validators, signal });

      const responses = await Promise.all(
        addresses.map((address) => get(address, known[address] ?? {})),
      );
      if (responses.every((response) => response === "unchanged")) return "unchanged";
      // A publication is parsed as a whole: if one address changed, the others are fetched in full.
      const whole = await Promise.all(
        responses.map(async (response, index) =>
          response === "unchanged" ? changed(await get(addresses[index] ?? "", {})) : response,
        ),
      );
      const validators = whole.map((response, index) => [addresses[index], response.validators]);
      try {
        const lines = parse(whole);
        const documents = whole.map(({ body, receivedMs }, index) => ({
          address: addresses[index] ?? "",
          body,
          receivedMs,
        }));
        return { lines, documents, validators: JSON.stringify(Object.fromEntries(validators)) };
      } catch (error) {
        if (!(error instanceof ParseError)) throw error;
        throw new SourceError(`the response cannot be read: ${error.message}`, error);
      }
    },
  };
}

function changed(response: FetchedResponse | "unchanged"): FetchedResponse {
  if (response !== "unchanged") return response;
  throw new SourceError("responded with 304 to an unconditional request");
}

function validatorsOf(stored: string | undefined): Readonly<Record<string, Validators>> {
  return stored === undefined ? {} : (JSON.parse(stored) as Record<string, Validators>);
}
