/**
 * Joins class names. Leaves out `undefined`, `false` and `""`: `isWide && styles.wide` is `false` without
 * `isWide`.
 */
export function joinClasses(...names: (string | false | undefined)[]): string {
  return names.filter((name) => name !== undefined && name !== false && name !== '').join(' ');
}
