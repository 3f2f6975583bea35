import type { Clock } from "../../../platform/shared/clock.ts";
import { counted } from "../../../platform/shared/text/counted.ts";
import type { SourceLine } from "../../served/rules/rate.ts";
import {
  type DocumentRequest,
  documentsOf,
  ParseError,
  type Publisher,
  requestsOf,
  requireRates,
} from "../publishers/publisher.ts";
import { rangesBy } from "../rules/archive-ranges.ts";
import {
  type Fetched,
  type FetchedDocument,
  type RateSource,
  type Schedule,
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
  // On first use: croner takes up to 1 ms for one, and most commands need few of 63 publishers'.
  const onFirstUse = (calendar: Publisher["schedule"]) => {
    let created: Schedule | undefined;
    return () => (created ??= createSchedule(calendar, publisher.publishedAt?.time));
  };
  const usual = onFirstUse(schedule);
  const rarer = rarerPairs && onFirstUse(rarerPairs.schedule);

  return {
    ...described,
    isHandedIn: publisher.addresses.length === 0,
    get schedule() {
      return usual();
    },
    rarerPairs: rarer && {
      includes: rarerPairs.includes,
      get schedule() {
        return rarer();
      },
    },
    ...(archive && { archive: createArchive({ ...archive, parse, tokenUrl }, settings) }),

    async fetch(storedValidators, signal): Promise<Fetched> {
      requireToken(tokenUrl, token);
      const known = JSON.parse(storedValidators ?? "{}") as Record<string, Validators>;
      const requests = requestsOf(publisher, clock.nowMs(), token ?? "");
      const hosts = requests.map(({ address }) => new URL(address).host);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(limits.publicationMs)]);
      const failures: (readonly [address: string, failure: SourceError])[] = [];
      /** A document that fails does not keep the others out, unless all of them are one. */
      const attempt = async <Value>(address: string, work: () => Value | Promise<Value>) => {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof SourceError) || publisher.documentsAreOne || signal.aborted) {
            throw error;
          }
          failures.push([address, error]);
          return undefined;
        }
      };
      const send = (request: DocumentRequest, validators: Validators) =>
        sendRequest(request, { ...settings, hosts, validators, signal: limit });

      // One after the other: some publishers have a document for each currency.
      const responses: (FetchedResponse | "unchanged" | undefined)[] = [];
      for (const request of requests) {
        const isConditional = request.body === undefined && request.form === undefined;
        const validators = isConditional ? known[request.address] : undefined;
        responses.push(await attempt(request.address, () => send(request, validators ?? {})));
      }
      const isChanged = responses.some((response) => typeof response === "object");
      if (!isChanged && failures.length === 0) return "unchanged";
      // A publication is stored as a whole: if one document changed, all are fetched in full.
      const whole: (FetchedResponse & Pick<DocumentRequest, "address">)[] = [];
      for (const [index, request] of isChanged ? requests.entries() : []) {
        const response = responses[index];
        const full =
          response === "unchanged"
            ? await attempt(request.address, async () => requireChanged(await send(request, {})))
            : response;
        if (full !== undefined) whole.push({ ...full, address: request.address });
      }
      const read = { documents: [] as FetchedDocument[], lines: [] as SourceLine[] };
      for (const some of documentsOf(publisher, whole)) {
        const lines = await attempt(some[0]?.address ?? "", () =>
          parseDocuments(some, (all) => requireRates(parse(all))),
        );
        const start = read.documents.length;
        if (lines === undefined) continue;
        read.lines.push(...lines.map((line) => ({ ...line, place: start + (line.place ?? 0) })));
        read.documents.push(...some.map(({ validators: _, cookie: __, ...document }) => document));
      }
      const [[address, first] = [], ...others] = failures;
      if (first !== undefined && read.documents.length === 0) throw first;
      const more = others.length === 0 ? "" : `, and ${counted(others.length, "more document")}`;
      const failure = first && new SourceError(`${first.message} (${address})${more}`, first);
      const validators = whole
        .filter(({ address }) => read.documents.some((document) => document.address === address))
        .map((response) => [response.address, response.validators]);
      return { ...read, validators: JSON.stringify(Object.fromEntries(validators)), failure };
    },
  };
}

async function sendRequest(request: DocumentRequest, how: Parameters<typeof httpRequest>[1]) {
  if (request.form === undefined) return httpRequest(request, how);
  const page = requireChanged(await httpRequest({ address: request.address }, how));
  return httpRequest(fillIn(request, page), how);
}

/** @returns the request of a form: the hidden fields and the cookies of its page are sent, too. */
function fillIn({ address, form = {} }: DocumentRequest, page: FetchedResponse): DocumentRequest {
  const html = new TextDecoder().decode(page.body);
  const hidden = html.matchAll(/<input type="hidden" name="([^"]+)"[^>]* value="([^"]*)"/g);
  const fields = new URLSearchParams(form);
  for (const [, name = "", value = ""] of hidden) fields.append(name, value);
  const type = "application/x-www-form-urlencoded";
  return { address, body: `${fields}`, headers: { "content-type": type, cookie: page.cookie } };
}

function requireToken(tokenUrl: string | undefined, token: string | undefined): void {
  if (tokenUrl === undefined || token !== undefined) return;
  throw new SourceError(`it wants a token: get one at ${tokenUrl}, and set SOURCE_TOKENS`);
}

function requireChanged(response: FetchedResponse | "unchanged"): FetchedResponse {
  if (response !== "unchanged") return response;
  throw new SourceError("responded with 304 to an unconditional request");
}

/** Creates the archive of a publisher's source: it fetches the archive's addresses one by one. */
export function createArchive(
  archive: NonNullable<Publisher["archive"]> &
    Pick<Publisher, "parse"> & {
      readonly tokenUrl?: string | undefined;
    },
  settings: {
    readonly userAgent: string;
    readonly clock: Clock;
    readonly token?: string | undefined;
  },
): SourceArchive {
  const { since, requestsBy, requests, paceMs, isAbsentBy404 = false, tokenUrl, parse } = archive;
  const { token } = settings;

  return {
    since,
    paceMs,

    rangesOf: (dates) =>
      rangesBy(requestsBy, dates).map((range) => ({
        ...range,
        requests: requests(range, "").length,
      })),

    async fetchRange(range, signal, pause) {
      const documents: FetchedDocument[] = [];
      requireToken(tokenUrl, token);
      for (const request of requests(range, token ?? "")) {
        await pause();
        const { address } = request;
        const hosts = [new URL(address).host];
        const how = { ...settings, hosts, limits: archiveLimits, validators: {}, signal };
        try {
          const { body, receivedMs } = requireChanged(await sendRequest(request, how));
          documents.push({ address, body, receivedMs });
        } catch (error) {
          const isAbsent = isAbsentBy404 && error instanceof StatusError && error.status === 404;
          if (!isAbsent) throw error;
        }
      }
      // A document that is there although it has nothing is not the publisher's.
      if (isAbsentBy404)
        for (const one of documents) parseDocuments([one], (all) => requireRates(parse(all)));
      return { documents, lines: parseDocuments(documents, parse) };
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
