/** What an address of a PostgreSQL store looks like, in the configuration and in the options of a program. */

/** An address, or a secret that holds the whole of it. */
export const STORE_URL = /^(?:postgres(?:ql)?:\/\/.|\$\{secret:[A-Za-z0-9_.:-]+\}$)/;

export const STORE_URL_TEXT =
  'expected postgres://user@host:5432/database, or a secret that holds it';
