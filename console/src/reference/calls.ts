import { effect } from "@preact/signals";
import SwaggerUi, { type SwaggerUiInstance } from "swagger-ui-dist/swagger-ui-es-bundle.js";
import { root } from "../router.ts";
import { credentials, type Scheme, schemeNames } from "./credentials.ts";
import { parts } from "./parts.ts";

export type ShowCalls = typeof showCalls;

/** Shows the calls that a description names; they go to where this page came from. */
export function showCalls(place: HTMLElement, description: object): void {
  const swaggerUi = SwaggerUi({
    domNode: place,
    spec: { ...description, servers: [{ url: root }] },
    plugins: [parts],
    layout: "Calls",
    deepLinking: true,
    docExpansion: "list",
    displayRequestDuration: true,
    // Its colours are for one ground, and inline, where no light or dark reaches them.
    syntaxHighlight: { activated: false },
    // A request to another host.
    validatorUrl: null,
    onComplete: () => handOn(swaggerUi),
  });
}

/** Lets swagger-ui know each credential, under its scheme's word, for as long as there is one. */
function handOn({ preauthorizeApiKey, authActions }: SwaggerUiInstance): void {
  const known = new Set<Scheme>();
  effect(() => {
    for (const scheme of schemeNames) {
      const credential = credentials.value[scheme];
      if (credential !== undefined) {
        preauthorizeApiKey(scheme, `${scheme} ${credential}`);
        known.add(scheme);
      } else if (known.delete(scheme)) {
        authActions.logout([scheme]);
      }
    }
  });
}
