import type { FastifyRequest } from "fastify";
import { accepts } from "../http/accept.ts";
import { programFilesIn, readProgramFile } from "../shared/program/program-files.ts";
import { type PageSettings, withSettings } from "./settings.ts";

const DIRECTORY = "console/dist";
const FILE = "index.html";

/** Each level of a path adds three bytes to every address in the document. */
const LEVELS_MAX = 16;

/** The paths of programs: the API's own, and those where clients look for its description. */
const programs = /^\/(?:v1|\.well-known|register)(?:[/?]|$)/;

/** @returns the page for a browser that asked for an unknown path; undefined for a program. */
export type NotFoundPage = (request: FastifyRequest) => string | undefined;

/**
 * Reads the page that browsers get instead of the API's 404.
 *
 * @returns a function without effect when the console is not built.
 */
export function createNotFoundPage(settings: PageSettings): NotFoundPage {
  if (!programFilesIn(DIRECTORY).includes(FILE)) return () => undefined;
  const document = withSettings(readProgramFile(`${DIRECTORY}/${FILE}`).toString(), settings);
  return ({ method, url, headers }) => {
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead || programs.test(url) || !accepts(headers.accept ?? "", "text/html")) return;
    const [path = ""] = url.split("?");
    const levels = path.split("/").length - 2;
    if (levels > LEVELS_MAX) return;
    // Addresses in the document are relative, because a proxy may put the service under a path.
    return document.replaceAll(/(href|src)="\.\//g, `$1="./${"../".repeat(levels)}`);
  };
}
