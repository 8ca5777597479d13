/** Reading the definitions of a source again, and what that changed. */
import { useState } from 'react';
import { useServices } from '../../api/services.tsx';
import { useErrorToast } from '../../components/toast.tsx';
import { type SourceChange, sourcePath } from './source-records.ts';

interface SourceRefresh {
  readonly isReading: boolean;
  /** What the newest reading changed; `undefined` before it has ended. */
  readonly change: SourceChange | undefined;
  readAgain(): void;
}

/** Calls `onDone` after every reading, also after one that failed. */
export const useSourceRefresh = (source: string, onDone: () => void): SourceRefresh => {
  const { api } = useServices();
  const fail = useErrorToast();
  const [isReading, setReading] = useState(false);
  const [change, setChange] = useState<SourceChange>();
  const readAgain = (): void => {
    setReading(true);
    setChange(undefined);
    api
      .send<{ readonly change: SourceChange }>('POST', sourcePath(source, '/refresh'))
      .then((answer) => setChange(answer.change))
      .catch(fail)
      .finally(() => {
        setReading(false);
        onDone();
      });
  };
  return { isReading, change, readAgain };
};
