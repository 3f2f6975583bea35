import type { Page } from "../pages/index-of-documents.ts";
import { alarmsPage } from "./alarms.ts";
import { commandsPage } from "./commands.ts";
import { errorsPage } from "./errors.ts";
import { metricsPage } from "./metrics.ts";
import { describeServer } from "./running-server.ts";

/** Makes the pages of the reference, from the program as it is. */
export async function referencePages(): Promise<readonly Page[]> {
  const server = await describeServer();
  return [
    page("commands-help", "Commands and their help", "the help of every command", commandsPage()),
    page("errors", "Error codes", "each code, and what responds with it", errorsPage(server)),
    page("metrics", "Metrics", "each metric with its type", metricsPage(server)),
    page("alarms", "Alarms", "each alarm with its rule", alarmsPage()),
  ];
}

/** @param name in docs/reference/, where links in the page begin; there is no such file. */
function page(name: string, title: string, description: string, markdown: string): Page {
  const path = `reference/${name}`;
  return { file: `docs/${path}.md`, path, title, description, markdown };
}
