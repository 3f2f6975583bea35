import { registerHooks } from "node:module";

// openapi-typescript uses the interface of TypeScript 5, which TypeScript 7 does not have. A copy of
// it comes with ts-morph: the package itself would replace the command `tsc`.

registerHooks({
  resolve(specifier, context, nextResolve) {
    const copy = "@ts-morph/common/dist/typescript.js";
    return nextResolve(specifier === "typescript" ? copy : specifier, context);
  },
});
