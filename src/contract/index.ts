/**
 * The published entry `toolcrib/contract`: what someone needs who writes a tool, calls the crib or
 * implements a port, without the runtime behind it. Inside src, import the file instead.
 */
export * from './calling.ts';
export * from './flows-and-jobs.ts';
export * from './observation.ts';
export * from './ports.ts';
export * from './writing-tools.ts';
