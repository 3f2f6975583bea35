import { render } from "preact";
import { App } from "./app.tsx";

const place = document.getElementById("app");
if (place === null) throw new Error("The page has no element with the id app.");
render(<App />, place);
