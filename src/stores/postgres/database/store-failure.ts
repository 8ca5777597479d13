/** Turns what PostgreSQL and its connections throw into coded errors with the remedy. */
import { ToolFailure } from '../../../contract/errors.ts';

interface Trouble {
  readonly message: string;
  readonly remedy: string;
  /** Trying again may help. Absent means yes. */
  readonly passes?: false;
  /** The fault is in the settings: CONFIG_INVALID while the store is opened. */
  readonly isSetting?: true;
}

const GONE: Trouble = {
  message: 'PostgreSQL cannot be reached.',
  remedy: 'Check that the server runs and that store.url names its host and port; then call again.',
};

const REFUSED: Trouble = {
  message: 'PostgreSQL did not accept the user or the password.',
  remedy: 'Check the user in store.url and the secret that holds its password.',
  isSetting: true,
};

const SLOW: Trouble = {
  message: 'PostgreSQL took too long to answer.',
  remedy: 'Look at the load and the locks of the server; then call again.',
};

const BUSY: Trouble = {
  message: 'Several processes wrote to the store at once, and this write gave way.',
  remedy: 'Call again.',
};

/** By SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html; longest match first. */
const TROUBLES: Readonly<Record<string, Trouble>> = {
  '08': GONE,
  '28': REFUSED,
  '57P': {
    message: 'PostgreSQL is starting or stopping.',
    remedy: 'Wait until the server is up; then call again.',
  },
  '57014': SLOW,
  '55P03': {
    message: 'The store is locked by another process.',
    remedy: 'Wait for the other process, or end it; then call again.',
  },
  '53300': {
    message: 'PostgreSQL has no connection left.',
    remedy: 'Raise max_connections of the server, or lower store.connections.',
  },
  '53100': {
    message: 'The store cannot be written: the disk of PostgreSQL is full.',
    remedy: 'Free space on the server, then call again.',
  },
  '40001': BUSY,
  '40P01': BUSY,
  '25006': {
    message: 'The store cannot be written: PostgreSQL is read-only.',
    remedy: 'Name the primary server in store.url, not a standby.',
  },
  '3D000': {
    message: 'The database that store.url names does not exist.',
    remedy: 'Make it with CREATE DATABASE, or correct store.url.',
    passes: false,
    isSetting: true,
  },
  '42501': {
    message: 'The user of store.url may not do this in the database.',
    remedy: 'Let it create the schema, or make the schema with this user as its owner.',
    passes: false,
    isSetting: true,
  },
};

const UNKNOWN: Trouble = { message: 'The store failed.', remedy: 'The log holds the cause.' };

/** Faults of a connection, which have the codes of the system, or only words of the library. */
const SYSTEM_CODES =
  /^E(?:CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|PIPE|TIMEDOUT|ACCES|NOENT)$/;
const LOST = /^Connection terminated|not queryable|^Client was closed|does not support SSL/i;
const WAITED =
  /^timeout (?:exceeded|expired)|read timeout$|^Connection terminated due to .*timeout/i;
/** The server asks for a password and there is none; the library says it in words only. */
const NOTHING_TO_SIGN_IN_WITH = /client password must be a string/i;

const codeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : '';

const troubleOf = (error: Error): Trouble => {
  const code = codeOf(error);
  if (NOTHING_TO_SIGN_IN_WITH.test(error.message)) return REFUSED;
  if (SYSTEM_CODES.test(code)) return GONE;
  if (WAITED.test(error.message)) return SLOW;
  if (code === '' && LOST.test(error.message)) return GONE;
  return TROUBLES[code] ?? TROUBLES[code.slice(0, 3)] ?? TROUBLES[code.slice(0, 2)] ?? UNKNOWN;
};

/** Tells whether one operation of a batch may be at fault: a value that the server cannot take. */
export const isDataError = (error: unknown): boolean =>
  error instanceof Error && /^(?:21|22|23|54|P0)/.test(codeOf(error));

const failureFor = (error: Error, isOpening: boolean): ToolFailure => {
  const { message, remedy, passes = true, isSetting = false } = troubleOf(error);
  const failure =
    isOpening && isSetting
      ? new ToolFailure('CONFIG_INVALID', message, { suggestions: [remedy] })
      : new ToolFailure('STORE_UNAVAILABLE', message, { retryable: passes, suggestions: [remedy] });
  failure.cause = error;
  return failure;
};

/** Explains an error of the server or of a connection to it; returns a coded one unchanged. */
export const storeFailure = (error: unknown): unknown =>
  error instanceof Error && !(error instanceof ToolFailure) ? failureFor(error, false) : error;

/** Explains an error while the store is opened: faults of the settings are CONFIG_INVALID. */
export const openFailure = (error: unknown): unknown =>
  error instanceof Error && !(error instanceof ToolFailure) ? failureFor(error, true) : error;
