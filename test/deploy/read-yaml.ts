/** YAML 1.1, as the programs read it that operators give ours to: by python3-yaml. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TO_JSON = 'import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))';

/** Where it is, on Debian. */
export const YAML = '/usr/lib/python3/dist-packages/yaml/__init__.py';

/** The documents of a file, by its path in the repository. */
export const readYaml = (file: string): unknown[] => parseYaml(readFileSync(path.join(ROOT, file), 'utf8'));

export function parseYaml(input: string): unknown[] {
  return JSON.parse(execFileSync('/usr/bin/python3', ['-c', TO_JSON], { input, encoding: 'utf8' }));
}
