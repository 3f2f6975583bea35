import { render } from "preact";
import { App } from "./app.tsx";

const place = document.getElementById("app");
if (place === null) throw new Error("The page has no place for the console.");
render(<App />, place);
