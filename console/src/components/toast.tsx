/** Short messages that come and go, read out to those who cannot see them. */
import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { asApiError } from '../api/api-error.ts';
import { Button } from './button.tsx';
import { SafeText } from './safe-text.tsx';

export interface ToastMessage {
  readonly tone: 'good' | 'bad' | 'neutral';
  readonly text: string;
  readonly hint?: string;
}

type Shown = ToastMessage & { readonly id: number };

const SHOWN_MS = 6_000;
const AT_MOST = 4;

const Context = createContext<((message: ToastMessage) => void) | undefined>(undefined);

const Toast = (props: { readonly toast: Shown; readonly onClose: (id: number) => void }) => {
  const { toast, onClose } = props;
  useEffect(() => {
    // What went wrong stays until it was read.
    if (toast.tone === 'bad') return;
    const timer = setTimeout(() => onClose(toast.id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast, onClose]);
  return (
    <li className={`toast toast-${toast.tone}`}>
      <p>
        <SafeText text={toast.text} />
        {toast.hint && (
          <span className="muted">
            {' '}
            <SafeText text={toast.hint} />
          </span>
        )}
      </p>
      <Button
        kind="quiet"
        isSmall
        icon="close"
        aria-label="Dismiss"
        onClick={() => onClose(toast.id)}
      />
    </li>
  );
};

/** Raises the messages above an open window, which lies above the page. */
const useRaised = (isShown: unknown) => {
  const ref = useRef<HTMLUListElement>(null);
  // Shown again with every change: the last one to open is on top.
  useEffect(() => {
    const list = ref.current;
    if (!list || !isShown) return;
    list.showPopover();
    return () => list.hidePopover();
  }, [isShown]);
  return ref;
};

export const ToastProvider = ({ children }: { readonly children: ReactNode }) => {
  const [toasts, setToasts] = useState<readonly Shown[]>([]);
  const show = useCallback((message: ToastMessage): void => {
    setToasts((old) => {
      const id = (old.at(-1)?.id ?? 0) + 1;
      return [...old, { ...message, id }].slice(-AT_MOST);
    });
  }, []);
  const close = useCallback((id: number): void => {
    setToasts((old) => old.filter((toast) => toast.id !== id));
  }, []);
  const ref = useRaised(toasts.at(-1));
  return (
    <Context value={show}>
      {children}
      <ul ref={ref} popover="manual" className="toasts" aria-live="polite" aria-label="Messages">
        {toasts.map((toast) => (
          <Toast key={toast.id} toast={toast} onClose={close} />
        ))}
      </ul>
    </Context>
  );
};

export const useToast = (): ((message: ToastMessage) => void) => {
  const show = use(Context);
  if (!show) throw new Error('useToast is for components inside ToastProvider.');
  return show;
};

/** Shows what went wrong, and the first thing to try. */
export const useErrorToast = (): ((thrown: unknown) => void) => {
  const toast = useToast();
  return useMemo(
    () => (thrown: unknown) => {
      const error = asApiError(thrown);
      const [hint] = error.suggestions;
      toast({ tone: 'bad', text: error.message, ...(hint !== undefined && { hint }) });
    },
    [toast],
  );
};
