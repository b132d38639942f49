/** Joins class names, and leaves out what is not one, such as the result of `isWide && styles.wide`. */
export function joinClasses(...names: (string | false | undefined)[]): string {
  return names.filter((name) => name !== undefined && name !== false && name !== '').join(' ');
}
