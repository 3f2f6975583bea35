import { failureCodes, statusOf } from "../../src/platform/shared/failure.ts";
import type { Description } from "./running-server.ts";

/** Every error code, with the operations that respond with it, by the OpenAPI document. */
export function errorsPage({ openApi }: Description): string {
  const causes = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // HEAD responds as GET does.
      .filter(([method]) => method !== "head")
      .flatMap(([method, { responses }]) =>
        Object.values(responses).flatMap(({ description }) =>
          conditionsIn(description).map(([code, condition]) => {
            return { code, condition, operation: `\`${method.toUpperCase()} ${path}\`` };
          }),
        ),
      ),
  );
  const sections = failureCodes.map((code) => {
    const own = causes.filter((cause) => cause.code === code);
    const byCondition = Object.groupBy(own, ({ condition }) => condition);
    const lines = Object.entries(byCondition).map(([condition, those = []]) => {
      return `- ${condition}: ${those.map(({ operation }) => operation).join(", ")}`;
    });
    const none = "No operation has it: [the table](../api.md#errors) says when it comes.";
    return `## ${code}\n\nStatus ${statusOf[code]}.\n\n${lines.join("\n") || none}`;
  });
  return [
    "# Error codes",
    "Each code, and when each operation responds with it. [The whole table](../api.md#errors); " +
      "[what each costs, and whether to retry](../api.md#what-a-response-cost-and-whether-to-retry).",
    ...sections,
    "",
  ].join("\n\n");
}

/** Of "`not_found`: no such key. `unauthorized`: no session", each code with its condition. */
function conditionsIn(description: string): readonly (readonly [string, string])[] {
  const parts = description.split(/(?:^|\. )`(\w+)`: /).slice(1);
  return parts.flatMap((code, index) =>
    index % 2 === 0 ? [[code, parts[index + 1] ?? ""] as const] : [],
  );
}
