import type { ListedDocument } from "./store.ts";

/** A document in the list that `kurs rates document --list` prints. */
export function listedDocumentJson(document: ListedDocument) {
  const { publication, number, name, receivedAt, bytes, hash } = document;
  return {
    publication,
    number,
    name,
    received_at: receivedAt,
    bytes: bytes ?? null,
    sha256: hash ?? null,
  };
}
