import { writeEvent } from "../../platform/audit/sql.ts";
import { type Tables, textOf } from "../../platform/storage/columns.ts";
import { type Engine, type Row, statement } from "../../platform/storage/engine.ts";
import { IS_ACCOUNT, insertAccount } from "../accounts/sql.ts";
import { lockOfEmail } from "../mailed-links/sql.ts";
import { writeMail } from "../outbox/sql.ts";
import type { Invitation, InvitationStore } from "./store.ts";

export const invitationTables: Tables = {
  invitations: { key: "token_hash", others: "account_id, email, plan, created_at, expires_at" },
};

const WRITE_INVITATION = `
  INSERT INTO invitations (token_hash, account_id, email, plan, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

const VALID_INVITATION = `
  SELECT token_hash, account_id, email, plan, created_at, expires_at FROM invitations
  WHERE token_hash = $1 AND email = $2 AND expires_at > $3`;

const VALID_INVITATIONS = `
  SELECT token_hash, account_id, email, plan, created_at, expires_at FROM invitations
  WHERE expires_at > $1 ORDER BY created_at, email, token_hash`;

export const REMOVE_INVITATIONS = "DELETE FROM invitations WHERE email = $1 RETURNING account_id";

export function invitationStore(engine: Engine): InvitationStore {
  return {
    create(invitation, origin) {
      const { token, tokenHash, accountId, email, plan, mailId, createdAt, expiresAt } = invitation;
      const values = [tokenHash, accountId, email, plan, createdAt, expiresAt];
      const link = { token, expiresAt };
      return engine.transaction(function* () {
        if ((yield statement(IS_ACCOUNT, email)).length === 1) return false;
        yield statement(WRITE_INVITATION, ...values);
        yield writeMail({ id: mailId, to: { email }, kind: "invitation", createdAt, link });
        yield writeEvent("account.invited", origin, { accountId, details: { plan } });
        return true;
      }, lockOfEmail(email));
    },

    async list(now) {
      return (await engine.query(VALID_INVITATIONS, now)).map(invitationOf);
    },

    async find(tokenHash, email, now) {
      const [row] = await engine.query(VALID_INVITATION, tokenHash, email, now);
      return row && invitationOf(row);
    },

    accept: (tokenHash, account, origin) =>
      engine.transaction(function* () {
        const { id: accountId, email, plan } = account;
        const found = yield statement(VALID_INVITATION, tokenHash, email, origin.at);
        if (found.length === 0) return "invalid";
        if (!(yield* insertAccount(account))) return "email_taken";
        yield statement(REMOVE_INVITATIONS, email);
        const details = { plan, invited: true };
        yield writeEvent("account.registered", origin, { accountId, details });
        return "accepted";
      }, lockOfEmail(account.email)),
  };
}

function invitationOf(row: Row): Invitation {
  return {
    tokenHash: textOf(row, "token_hash"),
    accountId: textOf(row, "account_id"),
    email: textOf(row, "email"),
    plan: textOf(row, "plan"),
    createdAt: textOf(row, "created_at"),
    expiresAt: textOf(row, "expires_at"),
  };
}
