/** Short facts in two columns: a word and what it stands for. Those without a value are left out. */
import { Fragment, type ReactNode } from 'react';

export type Fact = readonly [term: string, value: ReactNode];

export const Facts = ({ of }: { readonly of: readonly Fact[] }) => (
  <dl className="facts">
    {of
      .filter(([, value]) => value !== undefined && value !== '' && value !== false)
      .map(([term, value]) => (
        <Fragment key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
  </dl>
);
