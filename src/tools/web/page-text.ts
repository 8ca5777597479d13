/** The visible text of a page in plain Markdown, without hidden elements and scripts. */
import type { CheerioAPI } from 'cheerio';

type Root = ReturnType<CheerioAPI['root']>[number];
export type PageNode = Root | Root['children'][number];
type Element = Extract<PageNode, { attribs: object }>;
type Parent = Root | Element;

const LEFT_OUT: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'head',
  'svg',
  'canvas',
  'iframe',
  'object',
  'select',
  'button',
  'input',
  'textarea',
  'dialog',
]);

const BLOCKS: ReadonlySet<string> = new Set([
  'address',
  'article',
  'aside',
  'blockquote',
  'body',
  'dd',
  'details',
  'div',
  'dl',
  'dt',
  'fieldset',
  'figcaption',
  'figure',
  'footer',
  'form',
  'header',
  'hr',
  'html',
  'main',
  'nav',
  'p',
  'section',
  'summary',
  'table',
  'tbody',
  'thead',
  'tr',
  'ul',
  'ol',
]);

/** Tells whether an element is hidden from readers: such text may hold instructions for models. */
const isHidden = ({ attribs }: Element): boolean =>
  'hidden' in attribs ||
  attribs['aria-hidden'] === 'true' ||
  /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)/i.test(
    attribs.style ?? '',
  );

export interface TextOptions {
  readonly markdown: boolean;
  /** Returns the absolute form of an address; `undefined` when it is no link. */
  link(href: string): string | undefined;
  /** The numbers of list items, filled during the walk; empty at first. */
  readonly numbers: WeakMap<object, number>;
}

const childrenOf = (parent: Parent, options: TextOptions): string =>
  parent.children.map((child) => textOf(child, options)).join('');

/** A space that the clean-up at the end does not remove. */
const NBSP = '\u00a0';

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Numbers an item. The items of a list are counted once, because the list may be long. */
const numberOf = (item: Element, list: Element, { numbers }: TextOptions): number => {
  if (!numbers.has(item)) {
    const items = list.children.filter((each): each is Element => (each as Element).name === 'li');
    for (const [index, each] of items.entries()) numbers.set(each, index + 1);
  }
  return numbers.get(item) ?? 0;
};

const listItem = (item: Element, options: TextOptions): string => {
  const inner = childrenOf(item, options)
    .trim()
    .replace(/\n{2,}/g, '\n')
    .replace(/\n/g, `\n${NBSP}${NBSP}`);
  const parent = item.parent as Element | null;
  if (parent?.name !== 'ol') return `\n- ${inner}`;
  return `\n${numberOf(item, parent, options)}. ${inner}`;
};

const anchor = (element: Element, options: TextOptions): string => {
  const inner = childrenOf(element, options);
  const words = oneLine(inner);
  const href = options.link(element.attribs.href ?? '');
  if (words === '' || href === undefined) return inner;
  const space = /\s$/.test(inner) ? ' ' : '';
  return `${/^\s/.test(inner) ? ' ' : ''}[${words}](${href})${space}`;
};

const preformatted = (element: Element): string => {
  const raw = (node: PageNode): string => {
    if (node.type === 'text') return node.data;
    return 'children' in node ? node.children.map(raw).join('') : '';
  };
  return `\n\n\`\`\`\n${raw(element).replace(/\n+$/, '').replaceAll(' ', NBSP)}\n\`\`\`\n\n`;
};

type Write = (element: Element, options: TextOptions) => string;

const wrapped =
  (mark: string): Write =>
  (element, options) => {
    const inner = childrenOf(element, options);
    const words = oneLine(inner);
    return words === '' ? inner : inner.replace(inner.trim(), `${mark}${words}${mark}`);
  };

const heading =
  (level: number): Write =>
  (element, options) =>
    `\n\n${'#'.repeat(level)} ${oneLine(childrenOf(element, options))}\n\n`;

const MARKDOWN: ReadonlyMap<string, Write> = new Map<string, Write>([
  ...[1, 2, 3, 4, 5, 6].map((level): [string, Write] => [`h${level}`, heading(level)]),
  ['a', anchor],
  ['li', listItem],
  ['pre', preformatted],
  ['strong', wrapped('**')],
  ['b', wrapped('**')],
  ['em', wrapped('_')],
  ['i', wrapped('_')],
  ['code', wrapped('`')],
  ['hr', () => '\n\n---\n\n'],
]);

const PLAIN: ReadonlyMap<string, Write> = new Map<string, Write>([
  ...[1, 2, 3, 4, 5, 6].map((level): [string, Write] => [
    `h${level}`,
    (element, options) => `\n\n${oneLine(childrenOf(element, options))}\n\n`,
  ]),
  ['li', (element, options) => `\n${childrenOf(element, options).trim()}`],
]);

const elementText = (element: Element, options: TextOptions): string => {
  const { name } = element;
  if (LEFT_OUT.has(name) || isHidden(element)) return '';
  if (name === 'br') return '\n';
  if (name === 'td' || name === 'th') return `${oneLine(childrenOf(element, options))} | `;
  const write = (options.markdown ? MARKDOWN : PLAIN).get(name);
  if (write) return write(element, options);
  const inner = childrenOf(element, options);
  if (name === 'tr') return `\n${inner.replace(/ \| $/, '')}`;
  return BLOCKS.has(name) ? `\n\n${inner}\n\n` : inner;
};

const textOf = (node: PageNode, options: TextOptions): string => {
  if (node.type === 'text') return node.data.replace(/[ \t\r\n\f]+/g, ' ');
  if (node.type === 'root') return childrenOf(node, options);
  return 'attribs' in node ? elementText(node, options) : '';
};

/** Writes nodes as text: at most one blank line in a row, no spaces around lines. */
export const pageText = (nodes: readonly PageNode[], options: TextOptions): string =>
  nodes
    .map((node) => textOf(node, options))
    .join('\n\n')
    .replace(/[ \t]*\n[ \t]*/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .replaceAll(NBSP, ' ')
    .trim();
