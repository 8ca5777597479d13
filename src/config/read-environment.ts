/** The only file that reads the process environment; everything else is handed what it needs. */

/** Returns a copy, so that nobody can change the environment by accident. */
export const readEnvironment = (): Record<string, string | undefined> => ({ ...process.env });
