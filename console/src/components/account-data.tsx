import { useState } from "preact/hooks";
import { exportAccount } from "../api/account.ts";
import { useAction } from "../loading.ts";
import { saveFile } from "../save-file.ts";
import { Button } from "./button.tsx";
import { DeleteQuestion } from "./delete-question.tsx";
import { ErrorNotice } from "./notice.tsx";

/** Saves everything that the service stores about the account as a file. */
export function ExportAccount() {
  const [savedAs, setSavedAs] = useState<string | undefined>(undefined);
  const save = useAction(async () => {
    setSavedAs(undefined);
    const text = await exportAccount();
    const name = `kurs-account-${new Date().toISOString().slice(0, 10)}.json`;
    saveFile(name, "application/json", text);
    setSavedAs(name);
  });
  return (
    <section class="card stack-close" aria-labelledby="export">
      <h2 id="export">Export</h2>
      <p class="aside">
        Everything that is stored about your account, without secrets, as a JSON file.
      </p>
      <div class="row">
        <Button look="plain" isBusy={save.isBusy} onClick={save.run}>
          Download the export
        </Button>
      </div>
      <p class="aside report" role="status">
        {savedAs && `Saved as ${savedAs}`}
      </p>
      <ErrorNotice error={save.error} />
    </section>
  );
}

export function DeleteAccount({ email }: { readonly email: string }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <div>
      <Button look="quiet" isSmall onClick={() => setAsked(true)}>
        Delete the account …
      </Button>
      {isAsked ? <DeleteQuestion email={email} onClose={() => setAsked(false)} /> : null}
    </div>
  );
}
