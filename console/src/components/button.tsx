/** A button, and a link that looks like one. While `isBusy` it cannot be pressed again. */
import type { ComponentProps, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

export type ButtonKind = 'plain' | 'primary' | 'danger' | 'quiet';

interface Looks {
  readonly kind?: ButtonKind;
  readonly icon?: IconName;
  readonly isSmall?: boolean;
  readonly children?: ReactNode;
}

const classOf = ({ kind = 'plain', isSmall, children }: Looks): string =>
  ['button', `button-${kind}`, isSmall && 'button-small', !children && 'button-bare']
    .filter(Boolean)
    .join(' ');

export const Button = ({
  kind,
  icon,
  isSmall,
  isBusy,
  children,
  disabled,
  ...rest
}: Looks & ComponentProps<'button'> & { readonly isBusy?: boolean }) => (
  <button
    type="button"
    {...rest}
    className={classOf({ ...(kind && { kind }), ...(isSmall && { isSmall }), children })}
    disabled={disabled || isBusy}
    aria-busy={isBusy || undefined}
  >
    {icon && <Icon name={icon} />}
    {children && <span>{children}</span>}
  </button>
);

export const LinkButton = ({
  kind,
  icon,
  isSmall,
  children,
  ...rest
}: Looks & ComponentProps<'a'>) => (
  <a
    {...rest}
    className={classOf({ ...(kind && { kind }), ...(isSmall && { isSmall }), children })}
  >
    {icon && <Icon name={icon} />}
    {children && <span>{children}</span>}
  </a>
);
