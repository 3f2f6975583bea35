import { registerHooks } from "node:module";

// The examples import the package @kurs/client, which is built only to be published.

const sources = new URL("../../client/src/index.ts", import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    return nextResolve(specifier === "@kurs/client" ? sources : specifier, context);
  },
});
