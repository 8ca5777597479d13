/** The program of a process that checks the types of a project. */
import { compilerProgram } from '../compiler-program.ts';
import { CHECK_PARTS, checkTypes } from './check-types.ts';
import { createProjectHost, HOST_PARTS } from './project-host.ts';

/**
 * Writes the program. It takes a job, asks questions with `FromCheck`, waits for each answer, and sends
 * the report.
 */
export const checkProgram = (): string =>
  compilerProgram(`({ compiler, folder, ask: converse }) => {
${[...HOST_PARTS, ...CHECK_PARTS].map((part) => `const ${part.name} = ${part.toString()};`).join('\n')}
const bench = { compiler, libFolder: folder, libs: new Map() };
const ask = (question, path) => converse({ question, path }).answer;
return ({ job }) => ({
  report: ${checkTypes.name}(bench, job, ${createProjectHost.name}(bench, job, ask)),
});
}`);
