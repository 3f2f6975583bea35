import type { Clock } from "../../../platform/shared/clock.ts";
import { type DocumentRequest, type Publisher, requestsOf } from "../publishers/publisher.ts";
import { type Fetched, type RateSource, SourceError } from "../source.ts";
import { createArchive, linesOf } from "./archive.ts";
import {
  type FetchedResponse,
  httpRequest,
  type PublicationLimits,
  type Validators,
} from "./http-request.ts";
import { createSchedule } from "./schedule.ts";

/** Creates a publisher's source: it fetches the publisher's addresses and parses the responses. */
export function createPublisherSource(
  publisher: Publisher,
  settings: {
    readonly userAgent: string;
    readonly limits: PublicationLimits;
    readonly clock: Clock;
    /** The operator's, for a publisher that wants one. */
    readonly token?: string | undefined;
  },
): RateSource {
  const { key, name, country, group, terms, termsUrl, schedule, rarerPairs, parse } = publisher;
  const { tokenUrl, servedKind } = publisher;
  const { clock, token, limits } = settings;
  const scheduleOf = (calendar: Publisher["schedule"]) =>
    createSchedule(calendar, publisher.publishedAt?.time);

  return {
    key,
    name,
    country,
    group,
    terms,
    termsUrl,
    schedule: scheduleOf(schedule),
    ...(rarerPairs && {
      rarerPairs: { ...rarerPairs, schedule: scheduleOf(rarerPairs.schedule) },
    }),
    ...(publisher.archive && { archive: createArchive(publisher.archive, settings) }),

    ...(servedKind && { servedKind }),

    async fetch(storedValidators, signal): Promise<Fetched> {
      if (tokenUrl !== undefined && token === undefined) {
        throw new SourceError(`it wants a token: get one at ${tokenUrl}, and set SOURCE_TOKENS`);
      }
      const known = validatorsOf(storedValidators);
      const requests = requestsOf(publisher, clock.nowMs(), token ?? "");
      const hosts = requests.map(({ address }) => new URL(address).host);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(limits.publicationMs)]);
      const send = (request: DocumentRequest, validators: Validators) =>
        httpRequest(request, { ...settings, hosts, validators, signal: limit });

      // One after the other: some publishers have a document for each currency.
      const responses: (FetchedResponse | "unchanged")[] = [];
      for (const request of requests) {
        const isConditional = request.body === undefined;
        const validators = isConditional ? known[request.address] : undefined;
        responses.push(await send(request, validators ?? {}));
      }
      if (responses.every((response) => response === "unchanged")) return "unchanged";
      // A publication is parsed as a whole: if one document changed, all are fetched in full.
      const whole: (FetchedResponse & Pick<DocumentRequest, "address">)[] = [];
      for (const [index, request] of requests.entries()) {
        const response = responses[index] ?? "unchanged";
        const full = response === "unchanged" ? changed(await send(request, {})) : response;
        whole.push({ ...full, address: request.address });
      }
      const validators = whole.map((response) => [response.address, response.validators]);
      const documents = whole.map(({ address, body, receivedMs }) => ({
        address,
        body,
        receivedMs,
      }));
      const lines = linesOf(documents, parse);
      return { lines, documents, validators: JSON.stringify(Object.fromEntries(validators)) };
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
