import { effect } from "@preact/signals";
import SwaggerUi, { type SwaggerUiInstance } from "swagger-ui-dist/swagger-ui-es-bundle.js";
import { root } from "../router.ts";
import { credentials, type Scheme, schemeNames } from "./credentials.ts";
import type { CallOfGroup } from "./groups.ts";
import { parts } from "./parts.ts";

export type ShowCalls = typeof showCalls;

/** Opens a call and scrolls to it. */
export type OpenCall = (call: CallOfGroup) => void;

/** Shows a description's calls. Their requests go to the service that this page came from. */
export function showCalls(place: HTMLElement, description: object): OpenCall {
  const swaggerUi = SwaggerUi({
    domNode: place,
    spec: { ...description, servers: [{ url: root }] },
    plugins: [parts],
    layout: "Calls",
    deepLinking: true,
    docExpansion: "list",
    displayRequestDuration: true,
    // Its colours are inline and for one background: they do not follow light or dark.
    syntaxHighlight: { activated: false },
    // It would send a request to another host.
    validatorUrl: null,
    onComplete: () => passCredentials(swaggerUi),
  });
  return ({ group, operationId }) => {
    swaggerUi.layoutActions.show(["operations", group, operationId], true);
    // swagger-ui's own id of the call.
    const id = `operations-${group.replaceAll(" ", "_")}-${operationId}`;
    const call = document.getElementById(id);
    call?.scrollIntoView();
    call?.querySelector("button")?.focus({ preventScroll: true });
  };
}

/** Passes each credential to swagger-ui under its scheme's name, for as long as there is one. */
function passCredentials({ preauthorizeApiKey, authActions }: SwaggerUiInstance): void {
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
