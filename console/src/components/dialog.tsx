/** A modal window. The browser's own `<dialog>` keeps the focus inside and closes on Escape. */
import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { Button, type ButtonKind } from './button.tsx';
import { giveBackFocus } from './give-back-focus.ts';
import { SafeText } from './safe-text.tsx';
import { useErrorToast } from './toast.tsx';

interface DialogProps {
  readonly title: string;
  readonly isWide?: boolean;
  onClose(): void;
  readonly children: ReactNode;
}

/** Opens when it is mounted; `onClose` is called when it has been closed. */
export const Dialog = ({ title, isWide, onClose, children }: DialogProps) => {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    const giveBack = giveBackFocus();
    dialog.showModal();
    return () => {
      dialog.close();
      giveBack();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={isWide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={id}
      onClose={onClose}
    >
      <header className="dialog-head">
        <h2 id={id}>
          <SafeText text={title} />
        </h2>
        <Button kind="quiet" icon="close" aria-label="Close" onClick={() => ref.current?.close()} />
      </header>
      {children}
    </dialog>
  );
};

interface ConfirmProps extends Omit<DialogProps, 'isWide'> {
  readonly confirm: string;
  readonly kind?: ButtonKind;
  /**
   * Does the work, after which the window closes; what it throws is shown and the window stays. Returns
   * nothing where the fields of the window have to be filled in first.
   */
  onConfirm(): Promise<void> | undefined;
}

/** Asks before something that cannot be taken back by another click, or for what an action needs. */
export const ConfirmDialog = ({ confirm, kind, onConfirm, children, ...rest }: ConfirmProps) => {
  const [isBusy, setBusy] = useState(false);
  const fail = useErrorToast();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const work = onConfirm();
    if (!work) return;
    setBusy(true);
    work.then(rest.onClose, (thrown: unknown) => {
      setBusy(false);
      fail(thrown);
    });
  };
  return (
    <Dialog {...rest}>
      <form className="dialog-body" onSubmit={submit} noValidate>
        {children}
        <div className="actions">
          <Button type="submit" kind={kind ?? 'primary'} isBusy={isBusy}>
            {confirm}
          </Button>
          <Button onClick={rest.onClose}>Not now</Button>
        </div>
      </form>
    </Dialog>
  );
};
