/** A labelled control with its hint and what is wrong with it, tied together for assistive technology. */
import { type ReactNode, useId } from 'react';
import { SafeText } from './safe-text.tsx';
import { plainVisible } from './visible-text.ts';

export interface ControlIds {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly problem?: string | undefined;
  readonly isRequired?: boolean;
  /** Draws the control with the given ids. */
  readonly children: (ids: ControlIds) => ReactNode;
}

export const Field = ({ label, hint, problem, isRequired, children }: FieldProps) => {
  const id = useId();
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {isRequired && <span className="required"> required</span>}
      </label>
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': problem ? true : undefined,
      })}
      {problem && (
        <p className="problem" id={`${id}-problem`}>
          <SafeText text={problem} />
        </p>
      )}
    </div>
  );
};

interface SelectProps {
  readonly label: string;
  readonly value: string;
  /** Value and what is shown for it. */
  readonly options: readonly (readonly [string, string])[];
  onChange(value: string): void;
}

/** Draws a drop-down of a filter bar. */
export const FilterSelect = ({ label, value, options, onChange }: SelectProps) => (
  <label className="filter">
    <span>{label}</span>
    <select value={value} onChange={(event) => onChange(event.target.value)}>
      {options.map(([option, title]) => (
        <option key={option} value={option}>
          {plainVisible(title)}
        </option>
      ))}
    </select>
  </label>
);

interface SearchProps {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
}

/** Draws the search box of a page; the `/` key focuses it. */
export const SearchBox = ({ label, value, onChange }: SearchProps) => (
  <input
    className="search"
    type="search"
    data-search
    aria-label={label}
    placeholder={label}
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
);
