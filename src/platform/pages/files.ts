import { extname } from "node:path";
import { gunzipSync } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { accepts } from "../http/accept.ts";
import { programFilesIn, readProgramFile } from "../shared/program/program-files.ts";

/** The files that a browser may ask for. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

/** The codings that a build puts beside a file, the smallest first, with their suffixes. */
const CODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** An asset's name contains the hash of its content, which therefore never changes. */
export const assetCaching = { "cache-control": "public, max-age=31536000, immutable" };

/** What each directory had when this process first served it, without texts that are compressed. */
const builds = new Map<string, ReadonlyMap<string, Buffer>>();

/**
 * Reads the files of a directory that ships with the program, once: names in a page fit only its
 * own build, and a new one may replace the files under a running server.
 *
 * @param directory from the root of the package, such as `console/dist`.
 * @param isRewritten whether a file's text depends on the service's settings: it is then sent
 *   uncompressed.
 */
export function builtFiles(
  directory: string,
  isRewritten: (name: string) => boolean,
  rewrite: (text: string) => string,
) {
  const files = new Set(programFilesIn(directory));
  const kept = [...files].filter((file) => !files.has(`${file}.gz`));
  const read = (file: string) => [file, readProgramFile(`${directory}/${file}`)] as const;
  const build = builds.get(directory) ?? new Map(kept.map(read));
  builds.set(directory, build);
  const contents = new Map<string, Buffer>();
  const contentOf = (file: string): Buffer => {
    const sent = contents.get(file);
    if (sent !== undefined) return sent;
    const content = build.get(file) ?? gunzipSync(build.get(`${file}.gz`) ?? "");
    contents.set(file, isRewritten(file) ? Buffer.from(rewrite(content.toString())) : content);
    return contentOf(file);
  };

  return {
    /** Their paths from the build's directory, with slashes, without the compressed copies. */
    names: [...files].filter((file) => MEDIA_TYPES[extname(file)] !== undefined),
    /** Sends one of them, compressed for a client that accepts it. */
    send: (request: FastifyRequest, reply: FastifyReply, file: string): FastifyReply => {
      const accepted = request.headers["accept-encoding"] ?? "";
      const isSent = ([name, suffix]: (typeof CODINGS)[number]) =>
        !isRewritten(file) && files.has(file + suffix) && accepts(accepted, name);
      const [coding, suffix = ""] = CODINGS.find(isSent) ?? [];
      const type = MEDIA_TYPES[extname(file)];
      reply.headers({ vary: "Accept-Encoding, Origin", "content-type": type });
      if (coding !== undefined) reply.header("content-encoding", coding);
      return reply.send(contentOf(file + suffix));
    },
  };
}
