/** Reads a Dockerfile: its stages, and their instructions with continued lines joined and comments left out. */

export type Instruction = {
  /** The instruction's name in capitals, such as `COPY`. */
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  /** The text after the flags, on one line. */
  readonly text: string;
  /** The number of its first line, from 1. */
  readonly line: number;
};

export type Stage = {
  readonly name: string | undefined;
  /** An image, or the name of an earlier stage. */
  readonly base: string;
  readonly line: number;
  readonly instructions: readonly Instruction[];
};

const FLAG = /^--([a-z-]+)(?:=(\S+))?\s+/;

export function parseDockerfile(text: string): readonly Stage[] {
  const stages: (Omit<Stage, 'instructions'> & { instructions: Instruction[] })[] = [];
  for (const instruction of instructionsOf(text)) {
    if (instruction.name === 'FROM') {
      const [base = '', , name] = instruction.text.split(/\s+/);
      stages.push({ base, name, line: instruction.line, instructions: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (stage === undefined)
      throw new Error(`Line ${instruction.line}: ${instruction.name} before the first FROM`);
    stage.instructions.push(instruction);
  }
  return stages;
}

/** Returns the words of an instruction in JSON form, such as ENTRYPOINT; undefined for the shell form. */
export function jsonWords({ text }: Instruction): readonly string[] | undefined {
  const list = text.slice(Math.max(0, text.indexOf('[')));
  if (!list.startsWith('[')) return undefined;
  const parsed: unknown = JSON.parse(list);
  return Array.isArray(parsed) ? parsed.map(String) : undefined;
}

function instructionsOf(text: string): Instruction[] {
  const instructions: Instruction[] = [];
  let pending = '';
  let first = 0;
  for (const [at, line] of text.split('\n').entries()) {
    if (/^\s*#/.test(line) || line.trim() === '') continue;
    if (pending === '') first = at + 1;
    pending += line.trimEnd().replace(/\\$/, ' ');
    if (line.trimEnd().endsWith('\\')) continue;
    instructions.push(readInstruction(pending.trim(), first));
    pending = '';
  }
  return instructions;
}

function readInstruction(text: string, line: number): Instruction {
  const [, name = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
  const flags: Record<string, string> = {};
  let left = rest;
  for (let flag = FLAG.exec(left); flag !== null; flag = FLAG.exec(left)) {
    flags[flag[1] ?? ''] = flag[2] ?? '';
    left = left.slice(flag[0].length);
  }
  return { name: name.toUpperCase(), flags, text: left, line };
}
