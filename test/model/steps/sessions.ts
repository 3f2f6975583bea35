import assert from "node:assert/strict";
import { CHALLENGE } from "../../support/assertions.ts";
import type { Answer } from "../../support/client.ts";
import { assertRefusal, sessionRequired } from "../expected.ts";
import type { AccountState, Model } from "../model.ts";
import { type FromLast, type Person, wordOf } from "../names.ts";
import { type Step, step } from "../step.ts";
import type { Stage } from "../story-client.ts";

interface WithSession {
  readonly kind: string;
  readonly does: string;
  readonly person: Person;
  readonly nth: FromLast;
  readonly can?: (model: Readonly<Model>) => boolean;
  readonly ask: (model: Model, stage: Stage, session: string) => Promise<Answer>;
  /** The check of the response while the session is valid. */
  readonly expect: (answer: Answer, model: Model, stage: Stage, account: AccountState) => string;
}

/** A step on the account of a session: 401 if the session has ended. */
export function withSession(uses: WithSession): Step {
  const { kind, does, person, nth, ask, expect } = uses;
  return step({
    kind,
    sentence: `${person} ${does} with the ${wordOf(nth)} session`,
    can: (model) => model.session(person, nth) !== undefined && (uses.can?.(model) ?? true),
    async run(model, stage) {
      const session = model.session(person, nth);
      assert.ok(session !== undefined);
      const answer = await ask(model, stage, session.token);
      if (!model.isValid(session)) {
        const outcome = assertRefusal(answer, sessionRequired);
        assert.match(answer.headers["www-authenticate"] ?? "", CHALLENGE.Session);
        return outcome;
      }
      return expect(answer, model, stage, model.account(person));
    },
  });
}
