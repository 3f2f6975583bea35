import { writeFile } from "node:fs/promises";
import { generateTypes, TYPES } from "./types.ts";

// Writes the client's types anew after a change of the API.

await writeFile(TYPES, await generateTypes());
