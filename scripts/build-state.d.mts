/** Types for the tests that use it. */
export const isBuilt: (root?: string) => boolean;
export const rememberBuild: (root?: string) => void;
