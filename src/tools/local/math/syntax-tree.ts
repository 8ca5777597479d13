/** The kinds of node that the calculator evaluates. It refuses all others that mathjs can parse, by name. */

interface ConstantNode {
  readonly type: 'ConstantNode';
  readonly value: unknown;
}
export interface SymbolNode {
  readonly type: 'SymbolNode';
  readonly name: string;
}
interface ParenthesisNode {
  readonly type: 'ParenthesisNode';
  readonly content: SyntaxTree;
}
export interface OperatorNode {
  readonly type: 'OperatorNode';
  readonly fn: string;
  readonly args: readonly SyntaxTree[];
}
export interface FunctionNode {
  readonly type: 'FunctionNode';
  readonly fn: SyntaxTree;
  readonly args: readonly SyntaxTree[];
}
interface ArrayNode {
  readonly type: 'ArrayNode';
  readonly items: readonly SyntaxTree[];
}
export interface RangeNode {
  readonly type: 'RangeNode';
  readonly start: SyntaxTree;
  readonly end: SyntaxTree;
  readonly step: SyntaxTree | null;
}
export interface AccessorNode {
  readonly type: 'AccessorNode';
  readonly object: SyntaxTree;
  readonly index: { readonly dimensions: readonly SyntaxTree[]; readonly dotNotation: boolean };
}
export interface ConditionalNode {
  readonly type: 'ConditionalNode';
  readonly condition: SyntaxTree;
  readonly trueExpr: SyntaxTree;
  readonly falseExpr: SyntaxTree;
}
export interface RelationalNode {
  readonly type: 'RelationalNode';
  readonly conditionals: readonly string[];
  readonly params: readonly SyntaxTree[];
}
export interface AssignmentNode {
  readonly type: 'AssignmentNode';
  readonly object: SyntaxTree;
  readonly index: unknown;
  readonly value: SyntaxTree;
}
export interface BlockNode {
  readonly type: 'BlockNode';
  readonly blocks: readonly { readonly node: SyntaxTree; readonly visible: boolean }[];
}

export type SyntaxTree =
  | ConstantNode
  | SymbolNode
  | ParenthesisNode
  | OperatorNode
  | FunctionNode
  | ArrayNode
  | RangeNode
  | AccessorNode
  | ConditionalNode
  | RelationalNode
  | AssignmentNode
  | BlockNode;
