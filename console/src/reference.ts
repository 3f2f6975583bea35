import SwaggerUi from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";
import { root } from "./router.ts";

/** Shows the API's own description, with calls going to where this page came from. */
async function showReference(): Promise<void> {
  const response = await fetch(`${root}openapi.json`);
  const description = (await response.json()) as Record<string, unknown>;
  SwaggerUi({
    dom_id: "#reference",
    spec: { ...description, servers: [{ url: root }] },
    deepLinking: true,
    validatorUrl: null,
  });
}

await showReference();
