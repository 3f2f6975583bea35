import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { ROOT } from "../pages/index-of-documents.ts";

/** An operation of the OpenAPI document, as far as the reference shows it. */
interface Operation {
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

/** What a server says of itself. */
export interface Description {
  readonly openApi: {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  /** In Prometheus's text format. */
  readonly metrics: string;
}

/** Starts a server on a new store, asks it what it offers, and stops it. */
export async function describeServer(): Promise<Description> {
  const data = await mkdtemp(join(tmpdir(), "kurs-guide-"));
  const env = { PATH: process.env.PATH, DATA_DIR: data, RATE_SOURCES: "" };
  const server = spawn(process.execPath, ["bin/kurs.js", "serve"], {
    cwd: ROOT,
    env: { ...env, PORT: "0", METRICS_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors = text(server.stderr);
  try {
    const { url, metricsUrl } = await listening(server.stdout);
    const textOf = async (address: string) => await (await fetch(address)).text();
    const openApi = JSON.parse(await textOf(`${url}/openapi.json`));
    return { openApi, metrics: await textOf(metricsUrl) };
  } catch (error) {
    server.kill();
    throw new Error(`a server could not be asked: ${await errors}`, { cause: error });
  } finally {
    server.kill();
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
    await rm(data, { recursive: true });
  }
}

/** Reads the log until the server listens for requests and for metrics. */
async function listening(log: Readable): Promise<{ url: string; metricsUrl: string }> {
  const found = { url: "", metricsUrl: "" };
  for await (const line of createInterface(log)) {
    const { msg, url } = JSON.parse(line) as { readonly msg: string; readonly url: string };
    if (msg === "listening") found.url = url;
    if (msg === "serving metrics") found.metricsUrl = url;
    if (found.url !== "" && found.metricsUrl !== "") return found;
  }
  throw new Error("the server ended before it listened");
}
