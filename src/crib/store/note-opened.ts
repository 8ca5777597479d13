/** Records which files an opened database of the project consists of; a failure of that is only logged. */
import type { Runtime } from '../../contract/runtime.ts';
import { recordOpened, type StoreLocation } from '../../trust/locate-store.ts';

export interface NoteOpenedDeps {
  readonly userDir: string;
  readonly runtime: Pick<Runtime, 'log'>;
}

export const noteOpened = async (
  location: StoreLocation,
  { userDir, runtime }: NoteOpenedDeps,
): Promise<void> => {
  try {
    await recordOpened(location, userDir);
  } catch (error) {
    runtime.log.warn('The files of the store were not recorded.', { cause: String(error) });
  }
};
