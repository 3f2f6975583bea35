import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}

/** A modal dialog. Escape closes it, and the focus returns to its previous element. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isShown = useRef(true);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      isShown.current = false;
      // Closed before it is removed: otherwise the focus does not return.
      element?.close();
    };
  }, []);

  // The browser's close event comes late, when the same dialog may be open again.
  const close = () => {
    if (isShown.current) onClose();
  };
  const cancel = (event: Event) => {
    event.preventDefault();
    close();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onCancel={cancel} onClose={close}>
      <div class="stack-close">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
