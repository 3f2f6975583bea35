import type { Clock } from "../../../platform/shared/clock.ts";
import type { SourceLine } from "../../served/rules/rate.ts";
import { ParseError, type Publisher } from "../publishers/publisher.ts";
import { rangesBy } from "../rules/archive-ranges.ts";
import { type FetchedDocument, type SourceArchive, SourceError } from "../source.ts";
import { archiveLimits, httpRequest, StatusError } from "./http-request.ts";

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
        const limits = archiveLimits;
        try {
          const how = { ...settings, hosts, limits, validators: {}, signal };
          const response = await httpRequest({ address }, how);
          if (response === "unchanged") continue;
          const { body, receivedMs } = response;
          documents.push({ address, body, receivedMs });
        } catch (error) {
          const isAbsent = isAbsentBy404 && error instanceof StatusError && error.status === 404;
          if (!isAbsent) throw error;
        }
      }
      return { documents, lines: documents.length === 0 ? [] : linesOf(documents, parse) };
    },
  };
}

/** Parses documents. @throws {SourceError} they are not in the publisher's format. */
export function linesOf(
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
