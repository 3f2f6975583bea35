import { render } from "preact";
import { ReferencePage } from "./reference/page.tsx";

const place = document.getElementById("reference");
if (place === null) throw new Error("The page has no place for the API reference.");
render(<ReferencePage />, place);
