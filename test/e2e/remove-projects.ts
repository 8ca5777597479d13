/**
 * Removes after each test file what `createProject` has made for it. A set-up file, because it is
 * executed once a test file; other modules are loaded once a worker.
 */
import { afterAll } from 'vitest';
import { removeProjects } from './run-toolcrib.ts';

afterAll(removeProjects);
