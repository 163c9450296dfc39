/**
 * The rules for docs/conformance.md: every clause of the interface has a number without gaps and an existing test. A
 * test is cited as `file › title`, with the title that is printed when it runs.
 */

/** The interface's sections with requirements, and S for decisions where it is open. */
const SECTIONS = [
  ...['1', '2.1', '2.2', '2.3', '2.4', '2.5', '2.6', '2.7', '2.8', '3.1', '3.2', '3.3', '3.4'],
  ...['4.1', '4.2', '4.3', '4.4', '4.5', '5', '6', '7', '8', '9', 'S'],
];

type Clause = { readonly number: string; readonly tests: readonly string[] };

/** Returns every problem of the document, as a sentence; `sourceOf` returns a file's text if the file exists. */
export function conformanceProblems(
  document: string,
  sourceOf: (file: string) => string | undefined,
): string[] {
  const rows = document.split('\n').filter((line) => /^\| (?!No\.|---)/.test(line));
  const clauses = rows.map(clauseOf);
  const unreadable = rows.filter((_, i) => clauses[i] === undefined);
  const readable = clauses.filter((clause) => clause !== undefined);
  return [
    ...unreadable.map((row) => `A row that is no clause: ${row}`),
    ...numberingProblems(readable),
    ...readable.flatMap((clause) => testProblems(clause, sourceOf)),
  ];
}

/** Returns the number of clauses, for the message of a successful check. */
export const clauseCount = (document: string): number =>
  document.split('\n').filter((line) => clauseOf(line) !== undefined).length;

function clauseOf(row: string): Clause | undefined {
  const [, number, clause, holders] = /^\| ((?:\d(?:\.\d)?|S)-\d+) \| (.+?) \| (.*) \|$/.exec(row) ?? [];
  if (number === undefined || clause === undefined || holders === undefined) return undefined;
  return { number, tests: [...holders.matchAll(/`([^`]+)`/g)].map(([, test = '']) => test) };
}

function numberingProblems(clauses: readonly Clause[]): string[] {
  const problems = SECTIONS.filter((section) => !clauses.some(({ number }) => sectionOf(number) === section));
  const expected = new Map<string, number>();
  const wrong = clauses.flatMap(({ number }) => {
    const section = sectionOf(number);
    const next = (expected.get(section) ?? 0) + 1;
    expected.set(section, next);
    if (!SECTIONS.includes(section)) return [`${number} is of no section of the requirement`];
    return number === `${section}-${next}` ? [] : [`${number} stands where ${section}-${next} is due`];
  });
  return [...problems.map((section) => `Section ${section} has no clause`), ...wrong];
}

/**
 * Returns every problem of docs/conformance-fapi2.md: each row names modules of the plan and tests, whose titles contain
 * the names.
 */
export function moduleProblems(document: string, sourceOf: (file: string) => string | undefined): string[] {
  const [modules = ''] = document.split('\n## Compared with');
  const rows = modules.split('\n').filter((line) => /^\| (?!Module )/.test(line));
  return rows.flatMap((row) => {
    const [, names = '', cells = ''] = /^\| ([\w, -]+) \| .+? \| .*? \| (.+) \|$/.exec(row) ?? [];
    if (names === '') return [`A row that is no module: ${row}`];
    const tests = [...cells.matchAll(/`([^`]+)`/g)].map(([, test = '']) => test);
    const untested = names.split(', ').filter((name) => !tests.some((test) => test.includes(name)));
    const missing = untested.map((name) => `${name} has no test`);
    return [...missing, ...(tests.length > 0 ? testProblems({ number: names, tests }, sourceOf) : [])];
  });
}

const sectionOf = (number: string): string => number.slice(0, number.lastIndexOf('-'));

function testProblems({ number, tests }: Clause, sourceOf: (file: string) => string | undefined): string[] {
  if (tests.length === 0) return [`${number} has no test`];
  return tests.flatMap((test) => {
    const [file = '', title] = test.split(' › ');
    if (title === undefined) return [`${number}: "${test}" is not "file › title"`];
    if (!file.endsWith('.test.ts')) return [`${number}: ${file} is no test file`];
    const source = sourceOf(file);
    if (source === undefined) return [`${number}: there is no ${file}`];
    return hasTest(source, title) ? [] : [`${number}: ${file} has no test "${title}"`];
  });
}

/** Returns whether a test has this title. The values in a template title match any text. */
function hasTest(source: string, title: string): boolean {
  const code = source.replace(/^\s*\/\/.*$/gm, '');
  const calls = code.matchAll(
    /\b(?:it|test)\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/g,
  );
  return [...calls].some(([, single, double, template]) => {
    if (template === undefined) return (single ?? double ?? '').replace(/\\(.)/g, '$1') === title;
    const pattern = template.split(/\$\{[^}]*\}/).map((part) => RegExp.escape(part));
    return new RegExp(`^${pattern.join('.*')}$`, 'u').test(title);
  });
}
