/** Tables as text: each column is as wide as its widest cell, and the last one is wrapped. */
const GAP = '  ';
const LEAST_LAST_COLUMN = 20;

/** The indent of a table within other text. */
export const INDENT = '  ';

/** Renders rows of equal length. Wraps nothing without a `width`, in characters. */
export function tabulate(
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY, indent = '' } = {},
): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns - 1 }, (_, i) =>
    Math.max(...rows.map((row) => (row[i] ?? '').length)),
  );
  const before = indent.length + widths.reduce((sum, column) => sum + column + GAP.length, 0);
  const lastWidth = Math.max(LEAST_LAST_COLUMN, width - before);
  return rows
    .flatMap((row) => {
      const head = widths.map((column, i) => (row[i] ?? '').padEnd(column) + GAP).join('');
      const lines = wrap(row[columns - 1] ?? '', lastWidth);
      return lines.map((line, i) => (indent + (i === 0 ? head : ' '.repeat(head.length)) + line).trimEnd());
    })
    .join('\n');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
