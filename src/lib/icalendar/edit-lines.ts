/** Changing some of a component's lines, so that all others stay as their writer wrote them. */

/** The property's name in upper case; empty when the line begins with none. */
export function nameOfLine(line: string): string {
  NAME.lastIndex = 0;
  return NAME.exec(line)?.[1]?.toUpperCase() ?? '';
}

const NAME = /\s*([\w-]*)/y;

export const linesNamed = (lines: readonly string[], ...names: readonly string[]): string[] =>
  lines.filter((line) => names.includes(nameOfLine(line)));

export const linesWithout = (lines: readonly string[], ...names: readonly string[]): string[] =>
  lines.filter((line) => !names.includes(nameOfLine(line)));

/** `replacement` stands where the first line of these names stood, or else at the end; the others of them go. */
export function replaceLines(
  lines: readonly string[],
  names: readonly string[],
  replacement: readonly string[],
): string[] {
  const first = lines.findIndex((line) => names.includes(nameOfLine(line)));
  if (first === -1) return [...lines, ...replacement];
  return [...lines.slice(0, first), ...replacement, ...linesWithout(lines.slice(first), ...names)];
}
