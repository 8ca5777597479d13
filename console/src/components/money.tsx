/** An amount in US dollars, in figures that line up. */
import { money } from './format.ts';

export const Money = ({ usd }: { readonly usd: number }) => (
  <span className={usd === 0 ? 'money muted' : 'money'}>{money(usd)}</span>
);
