import { render } from "preact";
import { App } from "./app.tsx";
import { askOtherTabs } from "./session.ts";

const place = document.getElementById("app");
if (place === null) throw new Error("The page has no element with the id app.");
void askOtherTabs().then(() => {
  place.replaceChildren();
  render(<App />, place);
});
