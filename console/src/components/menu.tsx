import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Content beside the brand; in a narrow window a button shows it over the page. */
export function Menu({ children }: { readonly children: ComponentChildren }) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  // A layout effect: Escape works as soon as the content is visible.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const isOutside = (target: EventTarget | null) => !place.current?.contains(target as Node);
    const onClick = ({ target }: Event) => {
      if (isOutside(target) || (target as Element).closest("a") !== null) setOpen(false);
    };
    const onFocus = ({ target }: Event) => {
      if (isOutside(target)) setOpen(false);
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== "Escape") return;
      setOpen(false);
      button.current?.focus();
    };
    document.addEventListener("click", onClick);
    document.addEventListener("focusin", onFocus);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("click", onClick);
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("keydown", onKey);
    };
  }, [isOpen]);
  return (
    <div class={`menu ${isOpen ? "menu-open" : ""}`} ref={place}>
      <button
        type="button"
        class="button button-plain button-small menu-button"
        aria-expanded={isOpen}
        aria-controls={id}
        ref={button}
        onClick={() => setOpen(!isOpen)}
      >
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
