import type { OpenApiDocument } from "../support/openapi.ts";

const patterns = new WeakMap<OpenApiDocument, readonly (readonly [string, RegExp])[]>();

/** @returns the path of the document that a target in a request line leads to. */
export function documentedPathOf(document: OpenApiDocument, target: string): string | undefined {
  const [raw = ""] = target.replace(/^https?:\/\/[^/?#]*/, "").split(/[?#]/);
  const path = decoded(raw);
  return patternsOf(document).find(([, pattern]) => pattern.test(path))?.[0];
}

function patternsOf(document: OpenApiDocument) {
  const known = patterns.get(document);
  if (known !== undefined) return known;
  const made = Object.keys(document.paths).map((path) => {
    const pattern = path.replaceAll(/\{\w+\}/g, "[^/]+");
    return [path, new RegExp(`^${pattern}$`)] as const;
  });
  patterns.set(document, made);
  return made;
}

/** The router looks at a path with its escapes decoded, but for those that would divide it. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
