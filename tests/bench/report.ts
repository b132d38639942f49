import type { Row } from './figure.ts';

const COLUMNS = ['Figure', 'Value', 'Reference', 'Ratio', 'Goal', 'Stretch', 'Met'];

/** Returns the table of the rows. A quick run has no goals. */
export function formatTable(rows: Row[], isQuick: boolean): string {
  const lines = rows.map((row) => [
    row.name,
    `${formatNumber(row.figure)} ${row.unit}`,
    row.reference === null ? '' : `${formatNumber(row.reference)} ${row.unit}`,
    row.ratio === null ? '' : formatRatio(row.ratio),
    isQuick ? '' : formatLimit(row, row.goal?.goal ?? null),
    isQuick ? '' : formatLimit(row, row.goal?.stretch ?? null),
    isQuick ? '' : judge(row),
  ]);
  const widths = COLUMNS.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const format = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [COLUMNS, widths.map((width) => '-'.repeat(width)), ...lines].map(format).join('\n');
}

/**
 * Returns `yes` if the row meets its goal, `stretch` if it also meets the stretch, otherwise `no`. Empty
 * without a goal.
 */
export function judge({ figure, ratio, goal }: Pick<Row, 'figure' | 'ratio' | 'goal'>): string {
  if (goal === null) return '';
  const value = ratio ?? figure;
  const isWithin = (limit: number) => (goal.isMaximum ? value <= limit : value >= limit);
  if (goal.stretch !== null && isWithin(goal.stretch)) return 'stretch';
  return isWithin(goal.goal) ? 'yes' : 'no';
}

function formatLimit({ ratio, unit, goal }: Row, limit: number | null): string {
  if (limit === null) return '';
  const formatted = ratio === null ? `${limit} ${unit}` : formatRatio(limit);
  return `${goal?.isMaximum ? '≤' : '≥'} ${formatted}`;
}

function formatRatio(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 2 : 1)} ×`;
}

function formatNumber(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 });
}
