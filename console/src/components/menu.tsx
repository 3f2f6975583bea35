import type { ComponentChildren } from "preact";
import { useDisclosure } from "../disclosure.ts";

/** Content beside the brand; in a narrow window a button shows it over the page. */
export function Menu({ children }: { readonly children: ComponentChildren }) {
  const { isOpen, place, id, buttonProps } = useDisclosure();
  return (
    <div class={`menu ${isOpen ? "menu-open" : ""}`} ref={place}>
      <button class="button button-plain button-small menu-button" {...buttonProps}>
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2 3.5h12v1.2H2zm0 4h12v1.2H2zm0 4h12v1.2H2z" />
        </svg>
        <span class="visually-hidden">Menu</span>
      </button>
      <div class="menu-panel" id={id}>
        {children}
      </div>
    </div>
  );
}
