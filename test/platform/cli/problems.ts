import assert from "node:assert/strict";
import { readConfig } from "../../../src/app/config.ts";
import { ConfigError } from "../../../src/platform/shared/program/start-error.ts";
import { sourceNames } from "../../../src/rates/sources/fetching/registry.ts";

/** @returns the problems of an environment. */
export function problemsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(sourceNames, environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
}
