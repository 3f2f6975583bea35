import { resolve } from "node:path";
import { isSea } from "node:sea";
import { programFilesIn } from "../platform/shared/program/program-files.ts";
import { version } from "../platform/shared/program/version.ts";
import { redactDatabaseUrl } from "../platform/storage/settings.ts";
import { FILE_NAME } from "../platform/storage/sqlite/database-file.ts";
import type { Config } from "./config.ts";
import type { Service } from "./service.ts";
import { settingOf } from "./settings.ts";

/** What a person who has started a server looks for: where it is, where data and mail go. */
export function welcome(
  { url, metricsUrl, isNew }: Pick<Service, "url" | "metricsUrl" | "isNew">,
  { dataDirectory, database, smtpUrl }: Config,
): string {
  const hasPages = programFilesIn("console/dist").includes("index.html");
  const hasGuide = programFilesIn("guide/dist").includes("index.html");
  const lines: readonly (readonly [name: string, what: string | undefined])[] = [
    ["console", hasPages ? `${url}/` : undefined],
    ["API reference", hasPages ? `${url}/docs` : `${url}/openapi.json`],
    ["guide", hasGuide ? `${url}/guide` : undefined],
    ["metrics", metricsUrl],
    [
      "data",
      database.engine === "sqlite"
        ? resolve(dataDirectory, FILE_NAME)
        : redactDatabaseUrl(database.hosts),
    ],
    [
      "mail",
      smtpUrl === undefined
        ? `files in ${resolve(dataDirectory, "mail")} (no SMTP_URL is set)`
        : `sent by ${URL.parse(smtpUrl.replace(/^smtps?/i, "https"))?.host}`,
    ],
    ["commands", `${commandName()} --help`],
    ["the first key", isNew ? firstKey(database.engine, dataDirectory) : undefined],
  ];
  return [
    `Kurs ${version} listens on ${url}`,
    ...lines.flatMap(([name, what]) =>
      what === undefined ? [] : [`  ${name.padEnd(15)} ${what}`],
    ),
  ].join("\n");
}

/** The line for a shell that gives the first key to those after it. */
function firstKey(engine: Config["database"]["engine"], dataDirectory: string): string {
  const isElsewhere = engine === "sqlite" && dataDirectory !== settingOf("DATA_DIR").value;
  const where = isElsewhere ? `DATA_DIR='${resolve(dataDirectory).replaceAll("'", "'\\''")}' ` : "";
  return `KEY=$(${where}${commandName()} keys create you@example.org --name first --new-account)`;
}

/** How this program's commands are called where it was started from. */
function commandName(): string {
  if (isSea()) return process.argv[0] ?? "kurs";
  return import.meta.url.endsWith("/src/app/welcome.ts")
    ? "npm run -s kurs --"
    : "node_modules/.bin/kurs";
}
