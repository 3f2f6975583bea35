import type { RefObject } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Content that a button shows and hides. */
export interface Disclosure {
  readonly isOpen: boolean;
  /** Of the element that contains the button and the content. */
  readonly place: RefObject<HTMLDivElement | null>;
  /** Of the content. */
  readonly id: string;
  readonly buttonProps: {
    readonly type: "button";
    readonly "aria-expanded": boolean;
    readonly "aria-controls": string;
    readonly ref: RefObject<HTMLButtonElement | null>;
    readonly onClick: () => void;
  };
}

/** Closes the content after a link in it, a click or the focus elsewhere, and Escape. */
export function useDisclosure(): Disclosure {
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
  const buttonProps = {
    type: "button",
    "aria-expanded": isOpen,
    "aria-controls": id,
    ref: button,
    onClick: () => setOpen(!isOpen),
  } as const;
  return { isOpen, place, id, buttonProps };
}
