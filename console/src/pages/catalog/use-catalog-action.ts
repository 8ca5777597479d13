/** Sends a change of the catalog, says what came of it, and has the page loaded again either way. */
import { useServices } from '../../api/services.tsx';
import { useToast } from '../../components/toast.tsx';

export const useCatalogAction = (onDone: () => void) => {
  const { api } = useServices();
  const toast = useToast();
  /** Rejects with the refusal, which a dialog shows. */
  return async <T>(path: string, body: object, said: (answer: T) => string): Promise<void> => {
    try {
      const answer = await api.send<T>('POST', path, body);
      toast({ tone: 'good', text: said(answer) });
    } finally {
      onDone();
    }
  };
};
