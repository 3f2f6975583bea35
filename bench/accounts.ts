/** An account of the bench, with a key to read by and a session to look its usage up. */
export interface BenchAccount {
  readonly apiKey: string;
  readonly session: string;
}

/** Opens accounts through the API, as anybody would. */
export async function openAccounts(url: string, count: number): Promise<BenchAccount[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => openAccount(url, index)));
}

async function openAccount(url: string, index: number): Promise<BenchAccount> {
  const credentials = { email: `bench-${index}@example.org`, password: "a bench password" };
  await post(url, "/v1/auth/register", credentials);
  const session = String((await post(url, "/v1/auth/login", credentials)).session_token);
  const key = await post(url, "/v1/account/api-keys", { name: "bench" }, session);
  return { apiKey: String(key.api_key), session };
}

/** @returns the units that all the accounts have used together. */
export async function sumOfUnits(url: string, accounts: readonly BenchAccount[]): Promise<number> {
  const used = await Promise.all(
    accounts.map(async ({ session }) => {
      const headers = { authorization: `Session ${session}` };
      const answer = await fetch(`${url}/v1/account/usage`, { headers });
      const { usage } = (await answer.json()) as { usage: { used_units: number } };
      return usage.used_units;
    }),
  );
  return used.reduce((sum, units) => sum + units, 0);
}

async function post(url: string, path: string, body: unknown, session?: string) {
  const answer = await fetch(url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(session === undefined ? {} : { authorization: `Session ${session}` }),
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}
