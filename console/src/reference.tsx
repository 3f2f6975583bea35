import { render } from "preact";
import { ReferencePage } from "./reference/page.tsx";
import { askOtherTabs } from "./session.ts";

const place = document.getElementById("reference");
if (place === null) throw new Error("The page has no place for the API reference.");
void askOtherTabs().then(() => {
  place.replaceChildren();
  render(<ReferencePage />, place);
});
