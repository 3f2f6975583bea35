import type { Clock } from "../../../platform/shared/clock.ts";
import type { SourceLine } from "../../served/rules/rate.ts";
import {
  type DocumentRequest,
  ParseError,
  type Publisher,
  requestsOf,
} from "../publishers/publisher.ts";
import { rangesBy } from "../rules/archive-ranges.ts";
import {
  type Fetched,
  type FetchedDocument,
  type RateSource,
  type SourceArchive,
  SourceError,
} from "../source.ts";
import {
  archiveLimits,
  type FetchedResponse,
  httpRequest,
  type PublicationLimits,
  StatusError,
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
  const { schedule, rarerPairs, archive, tokenUrl, parse, ...described } = publisher;
  const { clock, token, limits } = settings;
  const createTimes = (calendar: Publisher["schedule"]) =>
    createSchedule(calendar, publisher.publishedAt?.time);

  return {
    ...described,
    schedule: createTimes(schedule),
    ...(rarerPairs && {
      rarerPairs: { ...rarerPairs, schedule: createTimes(rarerPairs.schedule) },
    }),
    ...(archive && { archive: createArchive(archive, settings) }),

    async fetch(storedValidators, signal): Promise<Fetched> {
      if (tokenUrl !== undefined && token === undefined) {
        throw new SourceError(`it wants a token: get one at ${tokenUrl}, and set SOURCE_TOKENS`);
      }
      const known = JSON.parse(storedValidators ?? "{}") as Record<string, Validators>;
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
        const full = response === "unchanged" ? requireChanged(await send(request, {})) : response;
        whole.push({ ...full, address: request.address });
      }
      const validators = whole.map((response) => [response.address, response.validators]);
      const documents = whole.map(({ validators: _, ...document }) => document);
      const lines = parseDocuments(documents, parse);
      return { lines, documents, validators: JSON.stringify(Object.fromEntries(validators)) };
    },
  };
}

function requireChanged(response: FetchedResponse | "unchanged"): FetchedResponse {
  if (response !== "unchanged") return response;
  throw new SourceError("responded with 304 to an unconditional request");
}

/** Creates the archive of a publisher's source: it fetches the archive's addresses one by one. */
export function createArchive(
  archive: NonNullable<Publisher["archive"]>,
  settings: { readonly userAgent: string; readonly clock: Clock },
): SourceArchive {
  const { since, requestsBy, addresses, paceMs, isAbsentBy404 = false, parse } = archive;

  return {
    since,
    paceMs,

    rangesOf: (dates) =>
      rangesBy(requestsBy, dates).map((range) => ({
        ...range,
        requests: addresses(range).length,
      })),

    async fetchRange(range, signal, pause) {
      const documents: FetchedDocument[] = [];
      for (const address of addresses(range)) {
        await pause();
        const hosts = [new URL(address).host];
        const how = { ...settings, hosts, limits: archiveLimits, validators: {}, signal };
        try {
          const { body, receivedMs } = requireChanged(await httpRequest({ address }, how));
          documents.push({ address, body, receivedMs });
        } catch (error) {
          const isAbsent = isAbsentBy404 && error instanceof StatusError && error.status === 404;
          if (!isAbsent) throw error;
        }
      }
      return { documents, lines: documents.length === 0 ? [] : parseDocuments(documents, parse) };
    },
  };
}

/** Parses documents. @throws {SourceError} they are not in the publisher's format. */
export function parseDocuments(
  documents: readonly FetchedDocument[],
  parse: Publisher["parse"],
): readonly SourceLine[] {
  try {
    return parse(documents);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new SourceError(`the response cannot be read: ${error.message}`, error);
  }
}
