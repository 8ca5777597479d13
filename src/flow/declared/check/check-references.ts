/** Checks that what a value names is there when the step runs. */
import type { FlowFault } from '../../../contract/flow-data.ts';
import { didYouMean } from '../../../kit/text/did-you-mean.ts';
import type { FlowProgram, PlacedUse } from '../flow-program.ts';
import { MAX_FLOW_FAULTS } from '../flow-schema.ts';
import { Ancestors, type StepGroup, type StepNode, type StepTree } from '../step-tree.ts';

type Fault = Omit<FlowFault, 'line' | 'column'>;

/** What is worked out before there is an item. */
const BEFORE_ITEMS: ReadonlySet<PlacedUse['member']> = new Set([
  ...(['items', 'when', 'join', 'otherwise'] as const),
]);

/** Finds the step whose items a value sees: its own, or the nearest group around it with `forEach`. */
export const itemOwner = (
  node: StepNode | undefined,
  member: PlacedUse['member'],
): StepNode | undefined => {
  const own = !BEFORE_ITEMS.has(member);
  for (let each = node; each; each = each.group.owner) {
    if (each.step.forEach && (each !== node || own)) return each;
  }
  return undefined;
};

/** The group whose steps are over when the value is computed, besides those that came before. */
const groupAround = ({ node, member }: PlacedUse, { root }: StepTree): StepGroup | undefined => {
  if (!node) return root;
  return member === 'output' ? node.inner : undefined;
};

interface Steps extends Pick<FlowProgram, 'tree'> {
  readonly ancestors: Ancestors;
  /** The ids that may have been meant; none once there are more faults than anybody is told. */
  readonly meant: Iterable<string>;
}

const stepFault = (use: PlacedUse, { tree, ancestors, meant }: Steps): string | undefined => {
  const { node, member, reference } = use;
  const { step: name = '' } = reference;
  const earlier = tree.byId.get(name);
  if (!earlier) return `there is no step ${name}${didYouMean(name, meant)}`;
  if (earlier.group === groupAround(use, tree)) return undefined;
  if (node === undefined) return `${name} is inside a group; name the group instead`;
  if (earlier === node) {
    if (member === 'output' || member === 'fallback') return undefined;
    return `${name} cannot use its own result here`;
  }
  if (ancestors.includes(node, earlier)) return undefined;
  const isNear = earlier.group === node.group;
  return isNear
    ? `${node.step.id} does not come after ${name}, so its result may not be there yet`
    : `${name} is inside another group, or not over before ${node.step.id} begins`;
};

export const referenceFaults = (program: FlowProgram): readonly Fault[] => {
  const { tree } = program;
  const ancestors = new Ancestors();
  const faults: Fault[] = [];
  for (const use of program.uses) {
    const { reference, path, node, member } = use;
    const meant = faults.length < MAX_FLOW_FAULTS ? tree.byId.keys() : [];
    const message =
      reference.root === 'steps'
        ? stepFault(use, { tree, ancestors, meant })
        : reference.root === 'item' && !itemOwner(node, member)
          ? 'there is an item only in a step with forEach, or inside such a group'
          : undefined;
    if (message !== undefined) faults.push({ path, message, severity: 'error' });
  }
  return faults;
};
