import type { OpenApiDocument } from "./openapi.ts";

const patterns = new WeakMap<OpenApiDocument, readonly (readonly [string, RegExp])[]>();

/** @returns the document's path for a request target. */
export function documentedPathOf(document: OpenApiDocument, target: string): string | undefined {
  const [raw = ""] = target.replace(/^https?:\/\/[^/?#]*/, "").split(/[?#]/);
  const path = decoded(raw);
  return patternsOf(document).find(([, pattern]) => pattern.test(path))?.[0];
}

function patternsOf(document: OpenApiDocument) {
  const known = patterns.get(document);
  if (known !== undefined) return known;
  const created = Object.keys(document.paths).map((path) => {
    const pattern = path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
    return [path, new RegExp(`^${pattern}$`)] as const;
  });
  patterns.set(document, created);
  return created;
}

/** Decodes escapes as the router does: all except those of reserved characters. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
