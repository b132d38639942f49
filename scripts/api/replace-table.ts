/** Replaces the table of a page between `<!-- name: written by … -->` and `<!-- end -->`. */
export function replaceTable(page: string, name: string, table: string): string {
  const start = `<!-- ${name}: written by \`npm run docs:api\` -->\n`;
  const [before, after] = page.split(start);
  if (before === undefined || after === undefined) throw new Error(`the page has no place for ${name}`);
  return `${before}${start}${table}${after.slice(after.indexOf('<!-- end -->'))}`;
}
