import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';
import { joinClasses } from './join-classes.ts';
import { Spinner } from './spinner.tsx';

interface Look {
  /** `primary` for the one main action of a page, `quiet` for a button without a border. */
  variant?: 'primary' | 'secondary' | 'quiet';
  size?: 'small' | 'normal' | 'large';
  /** Whether it is as wide as its container. */
  isWide?: boolean;
  /** Whether it contains only an icon. Then give it an `aria-label`. */
  isIcon?: boolean;
  children: ReactNode;
}

type ButtonProps = Look &
  Omit<ComponentProps<'button'>, 'disabled'> & {
    /**
     * Whether a press does nothing. A disabled button can still be focused, so that screen readers find it.
     */
    isDisabled?: boolean;
    /** Whether its action is running. It shows a spinner, and does nothing when it is pressed. */
    isBusy?: boolean;
  };

export function Button({
  variant,
  size,
  isWide,
  isIcon,
  isDisabled = false,
  isBusy = false,
  className,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const isInactive = isDisabled || isBusy;
  function press(event: MouseEvent<HTMLButtonElement>): void {
    // Otherwise an inactive submit button would submit its form.
    if (isInactive) event.preventDefault();
    else onClick?.(event);
  }
  return (
    <button
      type="button"
      {...rest}
      className={joinClasses(lookClasses({ variant, size, isWide, isIcon }), className)}
      aria-disabled={isInactive || undefined}
      aria-busy={isBusy || undefined}
      onClick={press}
    >
      {isBusy && <Spinner />}
      {children}
    </button>
  );
}

/**
 * A link that looks like a button. With `isExternal`, the browser follows the link, not the router. Links to
 * anything that is not a page of this package need `isExternal`. Links to a fragment of the same page need it
 * too, unless `onClick` scrolls to the fragment: the router does not.
 */
export function ButtonLink({
  variant,
  size,
  isWide,
  isIcon,
  isExternal = false,
  className,
  href,
  children,
  ...rest
}: Look & Omit<ComponentProps<'a'>, 'href'> & { href: string; isExternal?: boolean }) {
  const classes = joinClasses(lookClasses({ variant, size, isWide, isIcon }), className);
  if (isExternal)
    return (
      <a {...rest} href={href} className={classes}>
        {children}
      </a>
    );
  return (
    <Link {...rest} href={href} className={classes}>
      {children}
    </Link>
  );
}

function lookClasses({
  variant = 'secondary',
  size = 'normal',
  isWide = false,
  isIcon = false,
}: { [K in keyof Omit<Look, 'children'>]: Look[K] | undefined }): string {
  return joinClasses(
    styles.button,
    styles[variant],
    size !== 'normal' && styles[size],
    isWide && styles.wide,
    isIcon && styles.icon,
  );
}
