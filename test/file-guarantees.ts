/** The promises about files and secrets. */
import type { Guarantee, Proof } from './architecture/check-guarantees.ts';

/** Tests of one file, by their titles. */
const by = (file: string, ...names: readonly string[]): readonly Proof[] =>
  names.map((name) => ({ file, name }));

const stage = (name: string, ...names: readonly string[]): readonly Proof[] =>
  by(`src/pipeline/stages/${name}.test.ts`, ...names);

export const FILE_GUARANTEES: readonly Guarantee[] = [
  {
    id: 'path-escapes-refused',
    promise: 'File tools stay below the root: no traversal, link, prefix or swap leads outside.',
    tests: [
      ...by(
        'src/governance/paths/path-guard.test.ts',
        'refuses %s',
        'are not confused with folders whose name begins with that of the root',
        'refuses links to files and folders outside, also in the middle of a path',
        'refuses devices in an allowed root',
      ),
      ...by(
        'src/governance/paths/open-verified.test.ts',
        'never reads outside while a folder is swapped for a link',
        'never writes or removes outside while a folder is swapped for a link',
      ),
    ],
  },
  {
    id: 'protected-names',
    promise: 'Secrets are closed, and hooks and configuration cannot be written, there or not.',
    tests: by(
      'src/governance/paths/path-guard.test.ts',
      'closes secrets for reading and writing, there or not, in any case',
      'protects hooks, configuration and shell files from writing, also before they exist',
    ),
  },
  {
    id: 'needs-are-the-reach',
    promise: 'A tool reaches only the paths and secrets it declared.',
    tests: [
      ...by(
        'src/governance/paths/file-access.test.ts',
        'gives a tool without path needs no file',
        'keeps a reader from writing, and lets a writer read',
      ),
      ...stage('authenticate', 'refuses a secret that was not declared'),
      ...by('src/pipeline/undo/undo.test.ts', 'a read-only call cannot change files'),
    ],
  },
  {
    id: 'redaction',
    promise: 'Known secrets and well-known shapes leave neither in results nor in the record.',
    tests: [
      ...by(
        'src/governance/redaction/redaction.test.ts',
        'by value, also URL- and base64-encoded',
        'deep in results of any shape',
        'ordinary data is left alone; results and records are copies',
      ),
      ...stage('govern-result', 'redacts secrets in data, warnings and error messages'),
      ...stage('record', 'keeps secrets and unvalidated input out of the trail'),
      ...stage('execute', 'argument values do not come back in messages'),
    ],
  },
];
