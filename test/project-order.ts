/**
 * The order of test files: the projects whose files take longest come first. Vitest goes by the names
 * of projects, so that a file of a minute was the last one to begin, and all workers but one stood still.
 */
import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Unit tests come last: hundreds of files of a second each, which end together on all workers. */
const ORDER = ['console', 'whole', 'replacing', 'integration', 'unit'];

const placeOf = ({ project }: TestSpecification): number => ORDER.indexOf(project.name);

/** A few lines that run a suite of hundreds of tests: by its size, such a file would come last. */
const runsSuite = ({ moduleId }: TestSpecification): boolean =>
  readFileSync(moduleId, 'utf8').includes('/test/conformance/');

/**
 * Within a project, files keep the order of vitest: what took longest the last time, or is largest. Suites
 * come before them.
 */
export class ProjectOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const suites = new Set(sorted.filter(runsSuite));
    const rankOf = (file: TestSpecification): number =>
      2 * placeOf(file) + (suites.has(file) ? 0 : 1);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
