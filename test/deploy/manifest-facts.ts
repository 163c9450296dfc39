/** Facts with which the tests of manifests compare them: settings and the instructions of the image. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parseDockerfile } from '../../scripts/dockerfile.ts';
import { OPTIONS } from '../../src/config/config.ts';
import { ROOT } from './docs-blocks.ts';

/** Returns the value at the path of keys and indexes. */
export const at = (value: unknown, ...keys: readonly (string | number)[]): unknown =>
  keys.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), value);

const known = new Set(OPTIONS.flatMap(({ name }) => [name, `${name}_FILE`]));

/** Returns the names that look like settings but are not. */
export const unknownSettings = (names: readonly string[]): string[] =>
  names.filter((name) => name.startsWith('KALENDS_') && !known.has(name));

const finalStage = () => parseDockerfile(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8')).at(-1);

/** Returns the text of an instruction of the image. */
export const instruction = (name: string): string =>
  finalStage()?.instructions.find((one) => one.name === name)?.text ?? '';
