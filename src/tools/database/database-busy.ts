/** The failure of a statement that another program keeps waiting. */
import { ToolFailure } from '../../contract/errors.ts';

/** Makes the failure of a database that another program is writing to. */
export const databaseBusy = (): ToolFailure =>
  new ToolFailure('LOCK', 'Another program is writing to the database.', {
    suggestions: ['Try again when it is done.'],
  });
