import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}

/** A question in front of the page; Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isShown = useRef(true);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      isShown.current = false;
      // Before it is taken away: only so does the focus return.
      element?.close();
    };
  }, []);

  // The browser tells late that it is closed, when the same question may have been asked again.
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
