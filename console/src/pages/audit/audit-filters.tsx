/** The filter bar of the trail. Names are applied when one has finished typing them. */
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useServices } from '../../api/services.tsx';
import { TIERS } from '../../api/tool-records.ts';
import { Button } from '../../components/button.tsx';
import { FilterSelect } from '../../components/field.tsx';
import { zoneName } from '../../components/format.ts';
import { hrefOf, replaceRoute } from '../../router/route.ts';
import {
  type AuditFilter,
  type FilterName,
  filterProblem,
  isFiltered,
  KINDS,
  STATUSES,
} from './audit-filter.ts';

interface BoxProps {
  readonly label: string;
  readonly value: string;
  readonly type?: 'text' | 'datetime-local';
  readonly isSearch?: boolean;
  onDone(value: string): void;
}

const Box = ({ label, value, type = 'text', isSearch, onDone }: BoxProps) => {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') onDone(text);
  };
  return (
    <label className="filter">
      <span>{label}</span>
      <input
        type={type}
        value={text}
        data-search={isSearch || undefined}
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => text !== value && onDone(text)}
        onKeyDown={onKeyDown}
      />
    </label>
  );
};

const optionsOf = (names: readonly string[]): readonly (readonly [string, string])[] => [
  ['', 'All'],
  ...names.map((name) => [name, name.replaceAll('_', ' ')] as const),
];

export const AuditFilters = ({ filter }: { readonly filter: AuditFilter }) => {
  const change = (name: FilterName) => (value: string) =>
    replaceRoute(hrefOf(['audit'], { ...filter, [name]: value.trim() }));
  const select = (name: FilterName, label: string, names: readonly string[]) => (
    <FilterSelect
      label={label}
      value={filter[name] ?? ''}
      options={optionsOf(names)}
      onChange={change(name)}
    />
  );
  const problem = filterProblem(filter);
  const zone = zoneName(useServices().now());
  const box = (name: FilterName, label: string) => ({
    label,
    value: filter[name] ?? '',
    onDone: change(name),
  });
  return (
    <>
      <div className="filters audit-filters">
        <Box {...box('tool', 'Tool')} isSearch />
        <Box {...box('user', 'User')} />
        {select('status', 'Status', STATUSES)}
        <Box {...box('code', 'Code')} />
        {select('tier', 'Risk', TIERS)}
        {select('kind', 'Kind', KINDS)}
        <div className="filter-pair">
          <Box {...box('from', `From (${zone})`)} type="datetime-local" />
          <Box {...box('to', `To (${zone})`)} type="datetime-local" />
        </div>
        {isFiltered(filter) && (
          <Button kind="quiet" icon="close" onClick={() => replaceRoute(hrefOf(['audit']))}>
            Clear
          </Button>
        )}
      </div>
      {problem !== '' && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
};
