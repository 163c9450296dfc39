/**
 * The most frequent findings of hadolint, under its numbers, and the promises of docs/operations.md about the image: a
 * separate user, a health check, signals that reach the program.
 */
import { type Instruction, jsonWords, parseDockerfile, type Stage } from './dockerfile.ts';

/** Returns each broken rule as `Dockerfile:LINE: rule`. */
export function dockerfileProblems(text: string): string[] {
  const stages = parseDockerfile(text);
  const final = stages.at(-1);
  if (final === undefined) return ['Dockerfile:1: has no FROM'];
  const problems = [
    ...stages.flatMap((stage, at) => stageProblems(stage, stages.slice(0, at))),
    ...finalProblems(final),
  ];
  return problems.map(({ line, rule }) => `Dockerfile:${line}: ${rule}`);
}

type Found = { readonly line: number; readonly rule: string };

function stageProblems(stage: Stage, earlier: readonly Stage[]): Found[] {
  const names = earlier.map(({ name }) => name);
  const problems: Found[] = [];
  if (!names.includes(stage.base)) {
    const [, tag] = /:([^/@]+)(@|$)/.exec(stage.base) ?? [];
    if (tag === undefined) problems.push({ line: stage.line, rule: `DL3006 ${stage.base} has no tag` });
    if (tag === 'latest')
      problems.push({ line: stage.line, rule: `DL3007 ${stage.base} is another one tomorrow` });
  }
  if (names.includes(stage.name) && stage.name !== undefined)
    problems.push({ line: stage.line, rule: `DL3024 two stages are called ${stage.name}` });
  return [...problems, ...stage.instructions.flatMap((one) => rulesOf(one, stage, names))];
}

/** Returns the number of each rule, and whether it is broken. */
function rulesOf(one: Instruction, stage: Stage, names: readonly (string | undefined)[]): Found[] {
  const { name, text, flags, line } = one;
  const isRun = name === 'RUN';
  const sources = text.split(/\s+/);
  const rules: readonly (readonly [rule: string, broken: boolean])[] = [
    ['DL3000 WORKDIR has to be absolute', name === 'WORKDIR' && !text.startsWith('/')],
    ['DL3002 the user is root', name === 'USER' && /^(root|0)(:|$)/.test(text)],
    ['DL3003 use WORKDIR to change the folder', isRun && /(^|&&|;)\s*cd\s/.test(text)],
    ['DL3004 no sudo', isRun && /\bsudo\b/.test(text)],
    ['DL3008 apt packages have no version', isRun && /apt-get install(?![^&;]*=)/.test(text)],
    [
      'DL3009 apt lists stay in the image',
      isRun && /apt-get update/.test(text) && !/rm -rf \/var\/lib\/apt\/lists/.test(text),
    ],
    [
      'DL3015 apt-get without --no-install-recommends',
      isRun && /apt-get install(?!.*--no-install-recommends)/.test(text),
    ],
    ['DL3016 npm packages have no version', isRun && /npm (install|i) (?!.*@\d)/.test(text)],
    ['DL3020 COPY copies files, not ADD', name === 'ADD'],
    [
      'DL3021 several sources go into a folder, with a slash',
      name === 'COPY' && sources.length > 2 && !text.endsWith('/'),
    ],
    ['DL3022 --from names no earlier stage', flags.from !== undefined && !names.includes(flags.from)],
    ['DL3023 --from names its own stage', flags.from !== undefined && flags.from === stage.name],
    ['DL3025 in JSON form only', /^(CMD|ENTRYPOINT|HEALTHCHECK)$/.test(name) && jsonWords(one) === undefined],
    ['DL4000 MAINTAINER is deprecated', name === 'MAINTAINER'],
    ['DL4006 a pipe hides the first program’s failure', isRun && /[^|]\|[^|]/.test(text)],
    [
      'a secret stays in the image',
      /^(ENV|ARG)$/.test(name) && /(SECRET|PASSWORD|MASTER_KEY|TOKEN)=?\S/i.test(text),
    ],
  ];
  return rules.filter(([, broken]) => broken).map(([rule]) => ({ line, rule }));
}

function finalProblems({ instructions, line }: Stage): Found[] {
  const count = (name: string) => instructions.filter((one) => one.name === name).length;
  const required = ['USER', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD', 'EXPOSE', 'VOLUME'];
  const absent = required
    .filter((name) => count(name) === 0)
    .map((name) => ({ line, rule: `has no ${name}` }));
  const repeated = ['HEALTHCHECK', 'ENTRYPOINT', 'CMD']
    .filter((name) => count(name) > 1)
    .map((name) => ({ line, rule: `DL4003 only the last ${name} counts` }));
  const users = instructions.filter(({ name }) => name === 'USER');
  const unnumbered = users
    .filter(({ text }) => !/^\d+:\d+$/.test(text))
    .map((one) => ({
      line: one.line,
      rule: 'a user that is no number cannot be told from root (runAsNonRoot)',
    }));
  return [...absent, ...repeated, ...unnumbered];
}
