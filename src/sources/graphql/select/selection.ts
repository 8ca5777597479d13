/** The fields that a document asks for, as a tree. */

export interface SelectedField {
  readonly name: string;
  /** Differs from the name where two types have a field of that name and of different types. */
  readonly key: string;
  /** Written out, with brackets; empty when there are none. */
  readonly args: string;
  readonly type: string;
  readonly set?: SelectionSet;
}

export interface SelectionSet {
  readonly type: string;
  /** True for a type whose values are of several types. */
  readonly isAbstract: boolean;
  readonly fields: SelectedField[];
  /** Fields of single possible types. */
  readonly fragments: SelectionSet[];
}

export const isEmpty = ({ fields, fragments }: SelectionSet): boolean =>
  fields.length + fragments.length === 0;

/** Writes a selection as GraphQL, braces included. */
export const selectionText = ({ isAbstract, fields, fragments }: SelectionSet): string => {
  const parts = [
    // A selection without fields is not valid.
    ...(isAbstract || fields.length + fragments.length === 0 ? ['__typename'] : []),
    ...fields.map(({ name, key, args, set }) => {
      const alias = key === name ? '' : `${key}: `;
      return `${alias}${name}${args}${set ? ` ${selectionText(set)}` : ''}`;
    }),
    ...fragments.map((each) => `... on ${each.type} ${selectionText(each)}`),
  ];
  return `{ ${parts.join(' ')} }`;
};
