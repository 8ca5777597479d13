/** Writes docs/errors.md from the built table of error codes. Run by `npm run docs`. */
import { writeFileSync } from 'node:fs';
import { ERRORS } from '../dist/contract/errors.js';
import { renderErrorsDoc } from './render-errors-doc.mjs';

writeFileSync(new URL('../docs/errors.md', import.meta.url), renderErrorsDoc(ERRORS));
