/** Changes some lines of a component and leaves the others as they were written. */

/** Returns the property's name in upper case; empty if the line begins with none. */
export function nameOfLine(line: string): string {
  NAME.lastIndex = 0;
  return NAME.exec(line)?.[1]?.toUpperCase() ?? '';
}

const NAME = /\s*([\w-]*)/y;

export const linesNamed = (lines: readonly string[], ...names: readonly string[]): string[] =>
  lines.filter((line) => names.includes(nameOfLine(line)));

export const linesWithout = (lines: readonly string[], ...names: readonly string[]): string[] =>
  lines.filter((line) => !names.includes(nameOfLine(line)));

/** Replaces the first line with these names, or appends `replacement`, and removes their other lines. */
export function replaceLines(
  lines: readonly string[],
  names: readonly string[],
  replacement: readonly string[],
): string[] {
  const first = lines.findIndex((line) => names.includes(nameOfLine(line)));
  if (first === -1) return [...lines, ...replacement];
  return [...lines.slice(0, first), ...replacement, ...linesWithout(lines.slice(first), ...names)];
}
