/**
 * The order of test files: the projects whose files take longest come first. Vitest goes by the names
 * of projects, so that a file of a minute was the last one to begin, and all workers but one stood still.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Unit tests come last: hundreds of files of a second each, which end together on all workers. */
const ORDER = ['console', 'whole', 'replacing', 'integration', 'unit'];

const placeOf = ({ project }: TestSpecification): number => ORDER.indexOf(project.name);

/** Within a project, files keep the order of vitest: what took longest the last time, or is largest. */
export class ProjectOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
