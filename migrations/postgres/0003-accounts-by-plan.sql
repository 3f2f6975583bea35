-- The plans in use are found from one to the next, without a look at every account.
CREATE INDEX accounts_by_plan ON accounts (plan);
